/** Node's code of a failure of the system, such as `ENOENT`; `unknown` for anything else that was thrown. */
export function systemCode(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
}
