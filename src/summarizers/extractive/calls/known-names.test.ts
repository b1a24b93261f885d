import { expect, test } from "vitest";
import { knownByName } from "./known-names.ts";

test("a name is looked at once, a longer text whenever it comes", () => {
  const asked: string[] = [];
  const isLoud = knownByName((name) => {
    asked.push(name);
    return name === name.toUpperCase();
  });
  const text = "a".repeat(65);
  expect(["bash", "LS", "bash", "LS", text, text].map(isLoud)).toEqual([false, true, false, true, false, false]);
  expect(asked).toEqual(["bash", "LS", text, text]);
});

test("what came longest ago is looked at anew when there were many since", () => {
  let times = 0;
  const tell = knownByName(() => {
    times++;
    return true;
  });
  for (let name = 0; name <= 512; name++) tell(`tool-${name}`);
  tell("tool-512");
  expect(times).toBe(513);
  tell("tool-0");
  expect(times).toBe(514);
});
