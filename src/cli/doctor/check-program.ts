/** Checks the program itself: what it runs on, and its optional part. */

import { loadSqlite } from '../../../service/src/index.ts';
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
  return [
    resultOf(SUBJECT, isAtLeast(node, needs) ? 'ok' : 'problem', ['node_version', facts]),
    await checkSqlite(needed),
  ];
}

/** `needs`: `>=20.19`. */
export function isAtLeast(node: string, needs: string): boolean {
  const numbers = (text: string): number[] => (text.match(/\d+/g) ?? []).map(Number);
  const [own, least] = [numbers(node), numbers(needs)];
  const index = least.findIndex((number, at) => number !== (own[at] ?? 0));
  return index === -1 || (own[index] ?? 0) > (least[index] ?? 0);
}

async function checkSqlite(needed: boolean): Promise<CheckResult> {
  try {
    await loadSqlite();
    return resultOf(SUBJECT, 'ok', ['sqlite', { installed: true, needed }]);
  } catch (error) {
    const { message: reason } = toFlagwrightError(error);
    return resultOf(SUBJECT, needed ? 'problem' : 'ok', ['sqlite', { installed: false, needed, reason }]);
  }
}
