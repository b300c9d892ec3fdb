/** Checks the program itself: what it runs on, and its optional part. */

import { loadSqlite } from '../../../service/src/index.ts';
import { defined } from '../../base/optional.ts';
import { resultOf, type CheckResult } from '../../report/check-result.ts';
import { neededNode, version } from '../line/version.ts';
import { toFlagwrightError } from '../session/failure.ts';
import type { Session } from '../session/session.ts';
import type { Configuration } from './surroundings.ts';

const SUBJECT = { section: 'program' } as const;

export async function checkProgram({ context }: Session, configuration: Configuration): Promise<CheckResult[]> {
  const { node, platform: system } = context.system;
  const needs = neededNode();
  const facts = { version: version(), node, needs, system };
  const needed =
    configuration.kind === 'usable' && configuration.projects.some((project) => project.service === 'embedded');
  const reason = await loadSqlite().then(
    () => undefined,
    (error: unknown) => toFlagwrightError(error).message,
  );
  return [
    resultOf(SUBJECT, isAtLeast(node, needs) ? 'ok' : 'problem', ['node_version', facts]),
    sqliteResult(needed, reason),
  ];
}

/** `needs`: `>=20.19`. */
export function isAtLeast(node: string, needs: string): boolean {
  const numbers = (text: string): number[] => (text.match(/\d+/g) ?? []).map(Number);
  const [own, least] = [numbers(node), numbers(needs)];
  const index = least.findIndex((number, at) => number !== (own[at] ?? 0));
  return index === -1 || (own[index] ?? 0) > (least[index] ?? 0);
}

/** `reason`: why it cannot be loaded. Exported for its table of cases. */
export function sqliteResult(needed: boolean, reason: string | undefined): CheckResult {
  const status = needed && reason !== undefined ? 'problem' : 'ok';
  return resultOf(SUBJECT, status, ['sqlite', { installed: reason === undefined, needed, ...defined({ reason }) }]);
}
