/** The rights that GitHub asks of a job's token for its interface, as the job has them from `permissions`. */

export type Rights = Readonly<Record<string, string>>;

/** The first that matches. What is not here needs no right. */
const NEEDED: readonly (readonly [path: RegExp, scope: string])[] = [
  [/\/(?:pulls|issues)\b/, 'pull-requests'],
  [/\/actions\//, 'actions'],
  [/\/(?:activity$|git\/)/, 'contents'],
];

export function isPermitted({ method, path }: { method: string; path: string }, rights: Rights): boolean {
  const scope = NEEDED.find(([needs]) => needs.test(path))?.[1];
  const right = scope === undefined ? 'write' : rights[scope];
  return right === 'write' || (method === 'GET' && right === 'read');
}
