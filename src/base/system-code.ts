/**
 * Node's code of a failure of the system, such as `ENOENT`; `unknown` for anything else that was thrown. Test runners run code in contexts of
 * their own, where Node's errors are no instances of `Error`.
 */
export function systemCode(cause: unknown): string {
  return typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : 'unknown';
}

/** Whether a file or folder is not there. Any other failure proves nothing about it. */
export function isMissing(cause: unknown): boolean {
  return MISSING.has(systemCode(cause));
}

/** The second one: a part of the path is a file. */
const MISSING: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR']);
