/** The `safeguard` pack: free in form, strict about what must survive. Never prescribes headings. */

export const PROMPT_VERSION = 1;

export const safeguardTask = (): string =>
  `Summarise the conversation below so that no work is lost when the original is gone. Above all keep:
- decisions, with their reasons;
- everything that is still to be done, and what was promised;
- open questions, and who has to answer them;
- constraints and rules that the user set;
- the context needed to go on: files, identifiers, states, errors met and what was tried against them.
Choose the form that suits the material. What is finished and has no consequences may go.`;
