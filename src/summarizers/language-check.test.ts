import { expect, test } from "vitest";
import { certainLanguage, isOtherLanguage } from "./language-check.ts";

const TEXTS: Readonly<Record<string, string>> = {
  en: "Please look at the failing test and tell me what is wrong with it; then we can fix this.",
  de: "Bitte sieh dir den Test an und sag mir, was nicht stimmt, dann können wir das beheben und weitermachen.",
  fr: "Regarde le test qui échoue et dis-nous ce qui ne va pas, puis il faut corriger cette erreur dans le code.",
  es: "Mira la prueba que falla y dime lo que está mal, para que podamos corregir el error en los archivos.",
  pt: "Olha o teste que falha e diz o que está errado, para que você não precise corrigir isso mais tarde com pressa.",
  it: "Guarda il test che fallisce e dimmi cosa non va, così possiamo correggere questo errore nel codice con calma.",
  zh: "请看一下失败的测试，告诉我哪里有问题，然后我们再修复它。",
  ja: "失敗したテストを見て、何が間違っているか教えてください。",
  ko: "실패한 테스트를 보고 무엇이 잘못되었는지 알려 주세요.",
  cyrillic: "Посмотри на упавший тест и скажи, что не так, потом исправим.",
  arabic: "انظر إلى الاختبار الفاشل وأخبرني ما الخطأ ثم نصلحه معا",
};

test.each(Object.entries(TEXTS))("%s is recognised, and told from every other", (code, text) => {
  expect(certainLanguage(text)?.code).toBe(code);
  for (const [other, otherText] of Object.entries(TEXTS)) {
    expect(isOtherLanguage(otherText, certainLanguage(text)), `${code} and ${other}`).toBe(other !== code);
  }
});

test.each([
  "",
  "ok",
  "fix src/a.ts",
  "`the and is to of`",
  "```\nthe and is to of that\n```",
  "npm ERR! code E404",
  "## Goal\n## Next Steps",
])("%j is not certain", (text) => expect(certainLanguage(text)).toBeUndefined());

test("a Chinese summary full of English names is still Chinese", () => {
  const mixed =
    "## Goal\n修复 React component 的 bug，更新 webpack config 和 unit test，运行 build pipeline。用户要求保留旧接口。";
  expect(isOtherLanguage(mixed, certainLanguage(TEXTS.zh ?? ""))).toBe(false);
});
