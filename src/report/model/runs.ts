/** The models of plans and runs in one module: they share most of their parts, so one file loads faster than ten, and is smaller. */

export { driftModel } from './drift.ts';
export { historyModel, resumingModel, runModel } from './history.ts';
export { planModel, undoModel } from './plan.ts';
export { nothingModel, resultModel } from './result.ts';
export { warningsModel } from './rules.ts';
