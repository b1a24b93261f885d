/** How the story is written down: turns of a person and steps of an assistant, each call beside its result. Data only. */

export type Entry = UserEntry | StepEntry;

export interface UserEntry {
  readonly type: "user";
  readonly text: string;
}

export interface StepEntry {
  readonly type: "step";
  readonly text: string;
  readonly calls: readonly Call[];
}

export interface Call {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: string;
  readonly isError?: true;
}

export function user(text: string): UserEntry {
  return { type: "user", text };
}

/** What the assistant says, and what it calls while saying it. */
export function step(text: string, ...calls: readonly Call[]): StepEntry {
  return { type: "step", text, calls };
}

export function read(path: string, output: string): Call {
  const lines = output.split("\n").map((line, index) => `${String(index + 1).padStart(4)}  ${line}`);
  return { tool: "read_file", input: { path }, output: lines.join("\n") };
}

export function command(line: string, output: string): Call {
  return { tool: "run_command", input: { command: line }, output };
}

export function failed(call: Call): Call {
  return { ...call, isError: true };
}

export function edit(path: string, oldText: string, newText: string): Call {
  return {
    tool: "edit_file",
    input: { path, old_text: oldText, new_text: newText },
    output: `Replaced 1 occurrence in ${path}.`,
  };
}

export function query(sql: string, output: string): Call {
  return { tool: "query_replica", input: { sql }, output };
}

export function todos(...items: readonly (readonly ["done" | "doing" | "open", string])[]): Call {
  const marks = { done: "[x]", doing: "[~]", open: "[ ]" } as const;
  return {
    tool: "update_todos",
    input: { todos: items.map(([state, task]) => ({ state, task })) },
    output: items.map(([state, task]) => `${marks[state]} ${task}`).join("\n"),
  };
}
