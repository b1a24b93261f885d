import { expect, test } from "vitest";
import { detectLanguage, type Language } from "./language.ts";

const SAMPLES: Readonly<Record<Language, string>> = {
  en: "Please make sure that the tests pass and that we do not break the build.",
  de: "Bitte stelle sicher, dass die Tests laufen und wir den Build nicht kaputt machen.",
  fr: "Il faut que les tests passent et que nous ne cassions pas la compilation avec ce changement.",
  es: "Por favor, asegúrate de que las pruebas pasan y de que no rompemos la compilación con esto.",
  pt: "Preciso que os testes passem e que você não quebre a compilação com isso, por favor.",
  it: "Per favore assicurati che i test passino e che non rompiamo la compilazione con questo, grazie.",
  ru: "Пожалуйста, проверь, что тесты проходят и сборка не сломана.",
  zh: "请确保测试通过，不要破坏 build。",
  ja: "テストが通ることを確認して、build を壊さないでください。",
  ko: "테스트가 통과하는지 확인하고 build 를 깨지 마세요.",
  ar: "من فضلك تأكد من نجاح الاختبارات ولا تكسر البناء.",
};

test.each(Object.entries(SAMPLES))("%s", (language, sample) => {
  expect(detectLanguage(sample)).toBe(language);
  expect(detectLanguage(`${sample} src/foo/bar.ts`)).toBe(language);
});

test("nothing to go by is English", () => expect(detectLanguage("42 {} ;")).toBe("en"));

test.each([
  "el id: 7 la id: 8",
  "GET index html body div span href con table width",
  "curl exploit flag payload script server printenv perl la total received speed time left upload dload average",
])("a few small words by chance are no evidence: %s", (sample) => expect(detectLanguage(sample)).toBe("en"));
