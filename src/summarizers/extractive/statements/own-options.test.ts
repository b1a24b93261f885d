import { expect, test } from "vitest";
import { isOutvoted, withOwnOption } from "./own-options.ts";

const LIST =
  "There are two ways:\n1. **Add colours for the pier** to the chart, as names of their own\n2. **Reuse the names** that the chart has\n\nI think option 2 is cleanest.";
const PREFERRED = { decision: "I think option 2 is cleanest." };
const TOLD = { decision: "Reuse the names that the chart has", reason: "I think option 2 is cleanest." };

test("an option that is preferred is told by what the list says", () => {
  expect(withOwnOption(PREFERRED, LIST)).toEqual(TOLD);
  expect(withOwnOption(PREFERRED, "Both would do. I think option 2 is cleanest.")).toEqual(PREFERRED);
  const other = { decision: "Let's keep the rope." };
  expect(withOwnOption(other, LIST)).toBe(other);
});

test("it is over once the user asks for another option of the list", () => {
  expect(isOutvoted(TOLD, LIST, ["ok, our chart needs colours of its own for the pier"])).toBe(true);
  expect(isOutvoted(TOLD, LIST, ["now write the manual of the pump", "reuse the names in the pier chart too"])).toBe(
    false,
  );
  expect(isOutvoted({ decision: "Keep the rope" }, LIST, ["ok, our chart needs colours for the pier"])).toBe(false);
});
