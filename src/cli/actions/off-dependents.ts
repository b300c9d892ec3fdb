/** Decides what `off` does if other active flags depend on a flag: it turns them off too, or sets every condition to 0%. */

import type { ApplyResult, ChangeResult } from '../../apply/result.ts';
import { FlagwrightError } from '../../base/errors.ts';
import { findDependents, readDependents } from '../../posthog/reading/find-dependents.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import { canBeAtZero } from '../../posthog/planning/off-plan.ts';
import { quoteShort } from '../../report/escape.ts';
import { count, keysText } from '../../report/words/amounts.ts';
import { shellWord } from '../../report/words/ways-out.ts';
import type { Session } from '../session/session.ts';
import type { OpenProject } from '../project/open-project.ts';

export interface DependentsOptions {
  readonly dependents?: boolean;
  readonly zero?: boolean;
  readonly yes?: boolean;
}

export interface ChosenFlags {
  readonly flags: readonly Flag[];
  /** The flags that stay enabled for nobody. */
  readonly atZero: readonly Flag[];
}

interface DependentsChoice {
  /** Named, and not off yet. */
  readonly flags: readonly Flag[];
  /** Every flag of the project, where all were read. */
  readonly all?: readonly Flag[];
  readonly options: DependentsOptions;
}

/**
 * Finds the dependents in advance, so that the question to the user names them. If `--yes` answers it, today's service is asked only if it
 * refuses to turn a flag off.
 */
export async function chooseFlags(
  session: Session,
  opened: OpenProject,
  choice: DependentsChoice,
): Promise<ChosenFlags> {
  const { flags, all, options } = choice;
  if (options.zero === true) return atZero(flags);
  if (options.dependents === true) return withDependents(opened, choice);
  if (options.yes === true && all === undefined) return { flags, atZero: [] };
  const used = await findUsed(opened, choice);
  if (used.length === 0) return { flags, atZero: [] };
  const answer = options.yes === true ? undefined : await ask(session, used);
  if (answer === 'all') return withDependents(opened, choice);
  const isUsed = (flag: Flag): boolean => used.some(({ key }) => key === flag.key);
  if (answer === 'zero') return { flags, atZero: atZero(flags.filter(isUsed)).atZero };
  throw new FlagwrightError('refused', `${usedText(used)} Nothing was turned off.`, {
    remedy: remedyFor(used, opened.identity.name),
  });
}

/** @throws {FlagwrightError} `refused` for flags about which something other than their conditions decides. */
function atZero(flags: readonly Flag[]): ChosenFlags {
  const others = flags.filter((flag) => !canBeAtZero(flag)).map(({ key }) => key);
  if (others.length === 0) return { flags, atZero: flags };
  throw new FlagwrightError(
    'refused',
    `0% in every condition would not turn ${keysText(others)} off for everybody; nothing was turned off.`,
    {
      remedy:
        'Their filters have no conditions, rules of another format, encrypted payloads, or parts that decide before the conditions. Use --dependents.',
    },
  );
}

async function withDependents({ client }: OpenProject, { flags, all }: DependentsChoice): Promise<ChosenFlags> {
  const others = await readDependents(client, flags, all);
  if (others !== undefined)
    return { flags: [...flags, ...others.filter(({ active }) => active !== false)], atZero: [] };
  throw new FlagwrightError(
    'refused',
    'The service does not say which flags depend on others; nothing was turned off.',
    {
      remedy: 'Name the flags yourself, or use --zero.',
    },
  );
}

interface Used {
  readonly key: string;
  /** Keys of the active flags that depend on it and that are not turned off with it. */
  readonly by: readonly string[];
  readonly canBeAtZero: boolean;
}

async function findUsed({ client }: OpenProject, { flags, all }: DependentsChoice): Promise<readonly Used[]> {
  const named = new Set(flags.map(({ key }) => key));
  const used = await Promise.all(
    flags.map(async (flag): Promise<Used> => {
      const found = (await findDependents(client, flag, all)) ?? [];
      const by = found.map(({ key }) => key).filter((key) => !named.has(key));
      return { key: flag.key, by, canBeAtZero: canBeAtZero(flag) };
    }),
  );
  return used.filter(({ by }) => by.length > 0);
}

/** `undefined` for any other answer, and if nobody can answer. */
async function ask(session: Session, used: readonly Used[]): Promise<'all' | 'zero' | undefined> {
  const { context, interrupts } = session;
  if (!context.stdin.isTerminal || !context.stderr.isTerminal) return undefined;
  const zero = used.every((one) => one.canBeAtZero) ? ', "zero" to leave it enabled with 0% in every condition' : '';
  const others = new Set(used.flatMap(({ by }) => by));
  await session.print(`${usedText(used)}\n`);
  await session.print(
    `Type "all" to turn ${count(others.size, 'dependent flag')} off, too${zero}; anything else stops: `,
  );
  const answer = (await context.stdin.readLine(interrupts.stop))?.trim();
  if (interrupts.stop.aborted) throw interrupts.stop.reason;
  return answer === 'all' || (answer === 'zero' && zero !== '') ? answer : undefined;
}

function usedText(used: readonly Used[]): string {
  return used.map(({ key, by }) => `Active flags depend on ${quoteShort(key)}: ${keysText(by)}.`).join(' ');
}

function remedyFor(used: readonly Used[], project: string): string {
  const command = `flagwright off ${used.map(({ key }) => shellWord(key)).join(' ')} -p ${shellWord(project)}`;
  const zero = used.every((one) => one.canBeAtZero)
    ? ` To leave it enabled with 0% in every condition: ${command} --zero.`
    : '';
  return `To turn those off, too, dependents first: ${command} --dependents.${zero}`;
}

/** Asks today's service whether other flags depend on the flags that it refused; its error messages are not interpreted. */
export async function explainRefusals(
  session: Session,
  opened: OpenProject,
  { result: { changes }, flags }: { readonly result: ApplyResult; readonly flags: readonly Flag[] },
): Promise<void> {
  const keys = new Set(changes.filter(wasRefused).map(({ change }) => change.key));
  const refused = flags.filter(({ key }) => keys.has(key));
  if (refused.length === 0) return;
  const used = await findUsed(opened, { flags: refused, options: {} }).catch(() => []);
  if (used.length === 0) return;
  await session.print(`\n${usedText(used)}\n  ${session.palette.dim('→')} ${remedyFor(used, opened.identity.name)}\n`);
}

function wasRefused({ result }: ChangeResult): boolean {
  return result.outcome === 'failed' && result.error.status === 400;
}
