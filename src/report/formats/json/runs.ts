/** The documents about plans and runs in one module: one file loads faster than several, and is smaller. */

export { historyDocument, runDocument } from './result.ts';
export { planReportDocument } from './plan.ts';
export { nothingDocument, resultDocument } from './result.ts';
export { undoDocument } from './plan.ts';
