/** The Markdown of plans, runs and problems in one module: they share most of their parts. */

export { driftMarkdown, planMarkdown, undoMarkdown } from './plan.ts';
export { failureMarkdown, validationMarkdown } from './problems.ts';
export { nothingMarkdown, resultMarkdown } from './result.ts';
