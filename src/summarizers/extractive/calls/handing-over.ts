/** By which calls agents say that they are done, told by the tool's name alone. */

/** It is made for nothing else. "submit_form" may be anything. */
export function handsOver(tool: string): boolean {
  return HANDING_OVER.test(tool);
}

const HANDING_OVER =
  /^(?:submit|finish(?:_task)?|attempt_completion|complete(?:_task)?|task_(?:complete|done)|final_answer|end_task)$/i;

/** It may be one: enough where work must not be taken for unfinished. */
export function mayHandOver(tool: string): boolean {
  return LIKE_HANDING_OVER.test(tool);
}

const LIKE_HANDING_OVER =
  /complet|finish|submit|final|hand_?over|end_?(?:turn|task)|(?:^|_)(?:done|respond|answer)(?:$|_)/i;
