/** The texts about plans and runs in one module: they share most of their parts, and one file loads faster than ten. */

export { driftText } from './drift.ts';
export { historyText, resumingText, runText } from './history.ts';
export { nothingText } from './nothing.ts';
export { planText, warningsText } from './plan.ts';
export { resultText } from './result.ts';
export { undoText } from './undo.ts';
