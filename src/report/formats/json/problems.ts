/** The documents with diagnostics in one module. */

export { failureDocument } from './failure.ts';
export { validationDocument } from './validation.ts';
