import { expect, test } from "vitest";
import type { Language } from "../../../core/checkpoint/language.ts";
import { settledBy } from "./answers.ts";

function settled(language: Language, asked: string, reply: string): string | undefined {
  return settledBy({ asked, reply, language, askedIn: language })?.reason;
}

test.each<[Language, string, string]>([
  [
    "en",
    "May I reserve the berth and book the crane for Monday?",
    "You may reserve it. But book the crane for Tuesday.",
  ],
  ["en", "Can I reserve the berth for Monday?", "Sure."],
  ["de", "Darf ich den Liegeplatz am Montag reservieren?", "Sie können reservieren, aber erst ab Dienstag."],
  ["fr", "Puis-je réserver la place au port pour lundi ?", "Vous pouvez réserver. Mais mettez la grue à mardi."],
  ["es", "¿Puedo reservar el amarre para el lunes?", "Puede reservar. Pero ponga la grúa el martes."],
  ["pt", "Posso reservar o cais e marcar a grua para 11/02?", "Pode reservar. Mas marque a grua para o dia 12/02."],
  ["pt", "Posso reservar o cais e marcar a grua para 11/02?", "Pode sim."],
  ["it", "Posso prenotare il posto e fissare la gru per lunedì?", "Può prenotare. Ma fissi la gru per martedì."],
  ["ru", "Могу ли я забронировать причал на понедельник?", "Можно. Но кран только на вторник."],
  ["zh", "我可以预订泊位并把吊车安排在星期一吗？", "可以预订。不过吊车请安排在星期二。"],
  ["ja", "泊地を予約して、クレーンを月曜に入れてもいいですか？", "予約してください。ただしクレーンは火曜です。"],
  ["ko", "정박지를 예약하고 크레인을 월요일로 잡아도 될까요?", "예약하세요. 하지만 크레인은 화요일로요."],
  ["ar", "هل يمكنني حجز الرصيف والرافعة يوم الاثنين؟", "يمكنك الحجز. لكن الرافعة يوم الثلاثاء."],
])("leave that is given is settled (%s): %s", (language, asked, reply) =>
  expect(settled(language, asked, reply)).toBe(asked),
);

test.each<[Language, string, string]>([
  ["en", "May I reserve the berth for Monday?", "You may have seen the berth on Monday."],
  ["en", "May I reserve the berth for Monday?", "You can find the price in the harbour list."],
  ["en", "Can I help you with the berth on Monday?", "You can help with the berth."],
  ["de", "Kann ich dir am Montag mit dem Liegeplatz noch helfen?", "Du kannst mit dem Liegeplatz helfen."],
  ["pt", "Posso reservar o cais para 11/02?", "Pode verificar o preço da grua antes."],
  ["pt", "Posso ajudar com o cais no dia 11/02?", "Pode ajudar com o cais."],
  ["es", "¿Puedo reservar el amarre para el lunes?", "Puede que llueva el lunes en el amarre."],
])("what gives none, or was no leave, is not (%s): %s %s", (language, asked, reply) =>
  expect(settled(language, asked, reply)).toBeUndefined(),
);
