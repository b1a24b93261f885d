/**
 * Dates in one form, so that a question finds a day however it was written: as numbers, in English, or as the time at which a message
 * was stored. Linear in the text. Pure.
 */

const NAMES = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const NAME =
  "(?<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
const DAY = String.raw`(?<day>\d{1,2})(?:st|nd|rd|th)?`;
const YEAR = String.raw`(?<year>\d{4})`;

/** Of texts in lower case. */
const PATTERNS: readonly RegExp[] = [
  /(?<!\d)(?<year>\d{4})[-/.年](?<month>\d{1,2})(?:[-/.月](?<day>\d{1,2}))?(?!\d)/g,
  /(?<![\d年])(?<month>\d{1,2})月(?<day>\d{1,2})日/g,
  new RegExp(String.raw`\b${DAY}\s(?:of\s)?${NAME}\b(?:[,.]?\s${YEAR}\b)?`, "g"),
  new RegExp(String.raw`\b${NAME}\.?\s${DAY}\b(?:,?\s${YEAR}\b)?`, "g"),
  new RegExp(String.raw`(?<!\d(?:st|nd|rd|th)?\s(?:of\s)?)\b${NAME},?\s${YEAR}\b`, "g"),
];

/** Every date has one of these. */
const HINT = /\d{4}[-/.年]\d|\d月\d|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec/;

/** Of a text that is to be found: each day as itself, as a day of any year, and as a part of its month. */
export function datesIn(form: string): readonly string[] {
  return found(form, ({ full, yearly, monthly }) => [full, yearly, monthly]);
}

/** Of a question: what it says of a day, or the month where it names no day. */
export function datesAskedFor(form: string): readonly string[] {
  return found(form, ({ full, yearly, monthly }) => (yearly === "" ? [monthly] : [full, yearly]));
}

/** Some words of texts look like one too. */
export function isDateTerm(term: string): boolean {
  return /^(?:day|month)\d{4,8}$/.test(term);
}

interface DateTerms {
  readonly full: string;
  readonly yearly: string;
  readonly monthly: string;
}

function found(form: string, chosen: (terms: DateTerms) => readonly string[]): readonly string[] {
  if (!HINT.test(form)) return [];
  const terms = PATTERNS.flatMap((pattern) =>
    [...form.matchAll(pattern)].flatMap(({ groups = {} }) => chosen(termsOf(groups))),
  );
  return terms.filter((term) => term !== "");
}

/** Letters and digits only, like every term. Empty where the text does not say it. */
function termsOf({ year = "", month, name = "", day }: Readonly<Record<string, string | undefined>>): DateTerms {
  const monthNumber = month === undefined ? NAMES.indexOf(name.slice(0, 3)) + 1 : Number(month);
  if (monthNumber < 1 || monthNumber > 12 || Number(day ?? 1) < 1 || Number(day ?? 1) > 31) return NO_DATE;
  const [mm, dd] = [String(monthNumber).padStart(2, "0"), day?.padStart(2, "0")];
  return {
    full: year !== "" && dd !== undefined ? `day${year}${mm}${dd}` : "",
    yearly: dd === undefined ? "" : `day${mm}${dd}`,
    monthly: year === "" ? "" : `month${year}${mm}`,
  };
}

const NO_DATE: DateTerms = { full: "", yearly: "", monthly: "" };
