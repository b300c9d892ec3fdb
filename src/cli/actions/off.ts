/** `flagwright off KEY…`: turns flags off in the service, records it, and says how to keep or revert it. */

import type { ApplyResult } from '../../loop/apply/result.ts';
import { FlagwrightError } from '../../base/errors.ts';
import { fromPointer } from '../../base/json-pointer.ts';
import { jsonEquals, memberOf } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { once } from '../../base/once.ts';
import { nearest } from '../../base/text.ts';
import { whyIdle } from '../../core/engine/exceptions.ts';
import type { SwitchOff } from '../../core/engine/plan.ts';
import { matchKeyPatterns } from '../../core/engine/scope.ts';
import type { DeclaredFlag, DesiredState } from '../../posthog/desired.ts';
import { findFlagsByKey } from '../../posthog/flag/find-traces.ts';
import { findOwnership } from '../../posthog/flag/model/fields.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import { schedulesAgainstOff } from '../../posthog/flag/schedules.ts';
import type { LiveState } from '../../posthog/live.ts';
import { statusOf } from '../../posthog/client/failure-table.ts';
import { ServiceError } from '../../posthog/client/service-error.ts';
import type { Change } from '../../posthog/plan.ts';
import { flagPages, pageUrl } from '../../posthog/names/resource-name.ts';
import { planOff, canBeAtZero } from '../../posthog/planning/off-plan.ts';
import { readNamedFlags, findDependents, readDependents } from '../../posthog/reading/flags-by-id.ts';
import { readSchedulesOf } from '../../posthog/reading/live-state.ts';
import { escapeLine, escapeWholeLine, placeText, quoteShort, shellWord } from '../../report/escape.ts';
import { keysText, count, timeText } from '../../report/words/amounts.ts';
import { scheduleText, notKnownText } from '../../report/words/warnings.ts';
import { exceptionOf, exceptionsOf, isFor, readOwn } from '../applied/find-exceptions.ts';
import { findSafety } from '../applied/find-judge.ts';
import type { ExitCode } from '../line/exit.ts';
import { askFirst, refusePlan, showPlan } from '../plan/confirmation.ts';
import { executePlan, recordNothing, nothingToDo, type Executed } from '../plan/execute-plan.ts';
import { findDeclaration, findDeclaredFlags, loadProject, type LoadedProject } from '../project/load-project.ts';
import { withProject, type OpenProject } from '../project/open-project.ts';
import { recordIn, runCommand } from '../runs/find-runs.ts';
import { toFlagwrightError } from '../session/failure.ts';
import type { Session } from '../session/session.ts';

interface OffOptions extends SwitchOff, DependentsOptions {
  readonly allowProtected?: readonly string[];
  readonly journal?: string | false;
}

/** A run in an emergency is not judged by policies, as an undo is not. */
export async function off(
  session: Session,
  { keys, ...options }: OffOptions & { readonly keys: readonly string[] },
): Promise<ExitCode> {
  if (options.dependents === true && options.zero === true) {
    throw new FlagwrightError('usage', '--dependents and --zero cannot be used together.');
  }
  const loaded = await loadProject(session);
  if (typeof options.journal === 'string') recordIn(session, options.journal);
  const declared = once(() => findDeclaredFlags(loaded));
  return withProject(session, { ...loaded, patience: { urgent: true } }, async (opened) => {
    const { clear } = opened.progress;
    const { flags, all } = await findFlagsToTurnOff(opened, keys)
      .catch((error: unknown) => failBefore(error, opened))
      .finally(clear);
    const on = flags.filter(({ active }) => active !== false);
    const already = flags.filter(({ active }) => active === false);
    if (already.length > 0) {
      const [scheduled, steps] = await Promise.all([findSchedules(opened, already), declared()]).finally(clear);
      const later = [scheduled, findSteps(steps, already)];
      const name = escapeLine(opened.identity.name);
      const lines = [...already.map(({ key }) => `${escapeLine(key)} is already off in ${name}.`), ...later.flat()];
      await session.note(`${lines.join('\n')}\n`);
    }
    const choice = { flags: on, ...defined({ all }), options };
    const chosen =
      on.length === 0
        ? { flags: [], atZero: [] }
        : await chooseFlags(session, opened, choice)
            .catch((error: unknown) => failBefore(error, opened))
            .finally(clear);
    return turnOff(session, { loaded, opened, declared, chosen, already, options });
  });
}

interface Turning {
  readonly loaded: LoadedProject;
  readonly opened: OpenProject;
  readonly declared: () => Promise<DesiredState['flags'] | undefined>;
  readonly chosen: ChosenFlags;
  /** Named flags that are off: the run is recorded about them too. */
  readonly already: readonly Flag[];
  readonly options: OffOptions;
}

async function turnOff(session: Session, turning: Turning): Promise<ExitCode> {
  const { loaded, opened, chosen, already, options } = turning;
  const named = await readNamedFlags(opened.client, chosen.atZero);
  // Each flag is named on the command line or confirmed, so nothing limits their number.
  const { limits, ...settings } = findSafety(undefined, loaded.config);
  const { plan, live } = planOff(
    { ...chosen, named, off: already, ...defined({ reason: options.reason }) },
    {
      project: opened.identity,
      ...settings,
      limits: { ...limits, updates: Infinity, updates_percent: 100, disables: Infinity },
      exceptions: exceptionsOf(options),
    },
  );
  const journal = options.journal !== false;
  if (plan.changes.length === 0) {
    // Nothing but the record of flags that are off keeps a later apply from turning them on.
    if (journal) {
      const run = await recordNothing(session, plan);
      const keys = (plan.off?.already ?? []).map(({ key }) => key);
      const undo = runCommand(session, `undo ${run}`, loaded.project.name);
      const lifting = await findLifting(session, loaded, keys);
      const held = `on this machine, apply will not turn ${keys.map(shellWord).join(' ')} on. To allow it again:\n  ${undo}`;
      await session.note(`Recorded as run ${run}: ${lifting ?? held}\n`);
    }
    return nothingToDo(session, opened.identity, { code: 'already_off' });
  }
  await showPlan(session, plan, defined({ yes: options.yes }));
  if (plan.hazards.length > 0) return refusePlan(session, plan, 'Turn it off again');
  if (options.yes !== true) await askFirst(session, plan, 'off');
  const executed = await executePlan(session, { plan, opened, loaded, journal, read: live });
  await explainRefusals(session, opened, { result: executed.result, flags: chosen.flags });
  await printPages(session, opened, executed.result);
  await printNextSteps(session, turning, { ...executed, live });
  return executed.code;
}

/** More lines than this hide the commands around them; `accept --patch` shows all. */
const MOST_PREVIEWED = 20;

type PreviewGiven = readonly [loaded: LoadedProject, flags: readonly Flag[], managed: readonly DeclaredFlag[]];

/** What `accept` would write: a row of the room that edits manifests. */
const PREVIEWS: readonly ((...given: PreviewGiven) => Promise<readonly string[]>)[] = [
  async (...given) => (await import('../editing/off-preview.ts')).previewAccept(...given),
];

/** Prints how to keep what a run of `off` did, and how to revert it. `live`: the state that it was planned from. */
async function printNextSteps(
  session: Session,
  { loaded, opened, declared }: Turning,
  { result, run, live }: Pick<Executed, 'result' | 'run'> & { readonly live: LiveState },
): Promise<void> {
  const applied = result.changes.flatMap((one) => (one.result.outcome === 'applied' ? [one.change] : []));
  if (applied.length === 0) return;
  const { name } = loaded.project;
  const project = shellWord(name);
  const bodies = new Map(
    applied.flatMap((change) =>
      'body' in change && change.id !== undefined ? [[change.id, change.body] as const] : [],
    ),
  );
  const flags = live.flags.flatMap((flag) => (bodies.has(flag.id) ? [{ ...flag, ...bodies.get(flag.id) }] : []));
  const [all, scheduled] = await Promise.all([declared(), findSchedules(opened, flags)]).finally(opened.progress.clear);
  const undo = run === undefined ? [] : [`  ${runCommand(session, `undo ${run}`, name)}`];
  const managed =
    all &&
    applied.flatMap((change) => {
      const flag = findDeclaration(all, change.key);
      return flag === undefined || !differs(flag, change) ? [] : flag;
    });
  // The commands take the key that the manifests have now.
  const keys = (managed ?? applied).map(({ key }) => key);
  if (keys.length === 0) {
    const lines = [...scheduled, ...(undo.length === 0 ? [] : ['To turn it back on:', ...undo])];
    if (lines.length > 0) await session.note(`\n${lines.join('\n')}\n`);
    return;
  }
  const words = keys.map((key) => shellWord(key)).join(' ');
  // The flags are off already: a failure here only omits a note.
  const findPreview = async (): Promise<readonly string[]> =>
    managed === undefined ? [] : (await Promise.all(PREVIEWS.map((preview) => preview(loaded, flags, managed)))).flat();
  const preview = await findPreview().catch(() => []);
  const lifting = await findLifting(session, loaded, keys);
  const held =
    run === undefined ? '.' : `, and apply will not turn ${keys.length === 1 ? 'the flag' : 'the flags'} back on.`;
  // The flags may have other edits, which are not from this run.
  const only = flags.every(({ active }) => active === false) ? ' --only active' : '';
  const lines = [
    ...scheduled,
    `Until you keep or revert this, drift reports it${lifting === undefined ? held : `; ${lifting}`}`,
    'To keep this, accept it into the manifests:',
    `  flagwright accept ${words}${only} -p ${project}`,
    ...(preview.length > MOST_PREVIEWED ? [] : preview).map((line) => `    ${escapeWholeLine(line)}`),
    'To revert this, either:',
    ...undo,
    `  flagwright apply --target ${words} --override ${words} -p ${project}`,
  ];
  await session.note(`\n${lines.join('\n')}\n`);
}

/** Says which exceptions let an apply turn flags back on; `undefined` without any. */
async function findLifting(
  { context }: Session,
  { config, project }: LoadedProject,
  keys: readonly string[],
): Promise<string | undefined> {
  const standing = { approvers: config.policies?.approvers, now: context.now() };
  // The flags are off already: a file with errors lifts nothing.
  const own = await readOwn(config).catch(() => []);
  const places = own.flatMap((entry) => {
    const isGranted = whyIdle(exceptionOf(entry, { isInBase: true, isApproved: false }), standing) === undefined;
    const isMeant =
      entry.rule === 'switched_off' && isFor(project.name)(entry) && keys.some(matchKeyPatterns(entry.keys));
    return isGranted && isMeant ? placeText(entry.place) : [];
  });
  if (places.length === 0) return undefined;
  return `an exception from switched_off lets apply turn it back on. Remove it: ${places.join(', ')}`;
}

/** What a manifest omits, declares off already or leaves to others is neither accepted nor written back. */
function differs({ fields, ownership = [] }: DeclaredFlag, change: Change): boolean {
  const written = 'fields' in change ? change.fields : [];
  return written.some(({ path, after }) => {
    const own = memberOf(fields, fromPointer(path)[0] ?? '');
    const owner = findOwnership(ownership, path, fields) ?? 'managed';
    // All that `off` writes of a number is 0.
    const isOfGit = typeof owner === 'object' ? owner.between[0] > 0 : owner === 'managed';
    return isOfGit && own !== undefined && !jsonEquals(own, after);
  });
}

/**
 * `flags`: as they were named, each once. `all`: every flag that the service lists, where all were read.
 * @throws {FlagwrightError} `usage` for keys that the project does not have, with the nearest that it has.
 */
async function findFlagsToTurnOff(
  opened: OpenProject,
  keys: readonly string[],
): Promise<Pick<DependentsChoice, 'flags' | 'all'>> {
  const { client, identity } = opened;
  // The list may be older than a flag that it says is off, and that flag would not be turned off.
  const confirm = async (flag: Flag): Promise<Flag> => (flag.active === false ? client.getFlag(flag.id) : flag);
  const wanted = [...new Set(keys)];
  const { found, all, similar } = await findFlagsByKey(client, wanted);
  const missing = wanted.filter((key) => !found.has(key));
  const [first] = missing;
  if (first === undefined) {
    const flags = await Promise.all(wanted.flatMap((key) => found.get(key) ?? []).map(confirm));
    return { flags, ...(all === undefined ? {} : { all }) };
  }
  const nearestOf = (flags: readonly Pick<Flag, 'key'>[]): string | undefined =>
    nearest(
      first,
      flags.map(({ key }) => key),
    );
  const near = nearestOf(similar) ?? nearestOf(all ?? (await client.listFlags()));
  const subject = missing.length === 1 ? `no flag ${quoteShort(first)}` : `none of these flags: ${keysText(missing)}`;
  const kind = identity.host === 'embedded' ? 'embedded project' : 'project';
  const words = `The ${kind} ${quoteShort(identity.name)} has ${subject}; nothing was turned off.`;
  throw new FlagwrightError('usage', words, {
    remedy:
      near === undefined
        ? '`flagwright flags list` shows the keys. A soft-deleted flag is off.'
        : `Did you mean ${quoteShort(near)}?`,
  });
}

interface DependentsOptions {
  readonly dependents?: boolean;
  readonly zero?: boolean;
  readonly yes?: boolean;
}

interface ChosenFlags {
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
async function chooseFlags(session: Session, opened: OpenProject, choice: DependentsChoice): Promise<ChosenFlags> {
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
  const words = `0% in every condition would not turn ${keysText(others)} off for everybody; nothing was turned off.`;
  throw new FlagwrightError('refused', words, {
    remedy:
      'Their filters have no conditions, rules of another format, encrypted payloads, or parts that decide before the conditions. Use --dependents.',
  });
}

async function withDependents({ client }: OpenProject, { flags, all }: DependentsChoice): Promise<ChosenFlags> {
  const others = await readDependents(client, flags, all);
  if (others !== undefined)
    return { flags: [...flags, ...others.filter(({ active }) => active !== false)], atZero: [] };
  const words = 'The service does not say which flags depend on others; nothing was turned off.';
  throw new FlagwrightError('refused', words, { remedy: 'Name the flags yourself, or use --zero.' });
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
  const question = `Type "all" to turn ${count(others.size, 'dependent flag')} off, too${zero}; anything else stops: `;
  const answer = (await session.ask(question))?.trim();
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
async function explainRefusals(
  session: Session,
  opened: OpenProject,
  { result: { changes }, flags }: { readonly result: ApplyResult; readonly flags: readonly Flag[] },
): Promise<void> {
  const keys = new Set(
    changes.flatMap(({ change, result }) =>
      result.outcome === 'failed' && result.error.status === 400 ? [change.key] : [],
    ),
  );
  const refused = flags.filter(({ key }) => keys.has(key));
  if (refused.length === 0) return;
  const used = await findUsed(opened, { flags: refused, options: {} })
    .catch(() => [])
    .finally(opened.progress.clear);
  if (used.length === 0) return;
  await session.print(`\n${usedText(used)}\n  ${session.palette.dim('→')} ${remedyFor(used, opened.identity.name)}\n`);
}

/** A service that cannot be reached, or does not let the key write, may still have a web interface that works. */
async function printPages(session: Session, { identity }: OpenProject, { changes }: ApplyResult): Promise<void> {
  const lines = changes.flatMap(({ change, result }) => {
    const isOpen = result.outcome === 'unknown' || (result.outcome === 'failed' && isOfService(result.error.status));
    const isStopped = result.outcome === 'skipped' && ['key_refused', 'deadline'].includes(result.reason.code);
    const url = isOpen || isStopped ? pageUrl(identity, change) : undefined;
    return url === undefined ? [] : [`  ${escapeLine(change.key)}: ${escapeLine(url)}`];
  });
  if (lines.length > 0)
    await session.print(
      `\nTo turn ${lines.length === 1 ? 'it' : 'them'} off by hand in the web interface:\n${lines.join('\n')}\n`,
    );
}

/** Without a status, no answer came. Any other 4xx is about the flag. */
function isOfService(status: number | undefined): boolean {
  return status === undefined || status >= 500 || [401, 403, 407, 408, 429].includes(status);
}

/** @throws {FlagwrightError} The same error, with what holds in an emergency. */
function failBefore(error: unknown, { identity }: OpenProject): never {
  if (!(error instanceof ServiceError)) throw error;
  const { code, message, remedy } = toFlagwrightError(error);
  const { failure } = error;
  const pages = flagPages(identity);
  const byHand =
    pages !== undefined && !(failure.kind === 'aborted' && code !== 'deadline') && isOfService(statusOf(failure))
      ? `To turn it off by hand in the web interface: ${pages}`
      : undefined;
  const remedies = [remedy, byHand].filter((one) => one !== undefined).join(' ');
  throw new FlagwrightError(code, `${message} Nothing was turned off.`, {
    cause: error,
    ...(remedies === '' ? {} : { remedy: remedies }),
  });
}

/** Finds what the service will do by itself that would turn a flag on again: nobody who stops an incident looks for that. */
async function findSchedules({ client, identity }: OpenProject, flags: readonly Flag[]): Promise<readonly string[]> {
  const off = flags.filter(({ active }) => active === false);
  const { schedules = [], unknownSchedules: unknown } = await readSchedulesOf(client, off).catch(UNREAD);
  if (unknown !== undefined) return [notKnownText({ key: 'schedules', why: unknown })];
  return schedulesAgainstOff(off, schedules).flatMap((facts) => {
    const url = pageUrl(identity, {
      resource: 'flag',
      ...defined({ id: off.find(({ key }) => key === facts.key)?.id }),
    });
    const place = url === undefined ? '' : `: ${url}`;
    return [scheduleText(facts, quoteShort), `  Delete it in the service before then, or it does so unasked${place}`];
  });
}

const UNREAD = (): Pick<LiveState, 'schedules' | 'unknownSchedules'> => ({ unknownSchedules: 'failed' });

/** A flag that was off before is as declared, so its rollout does not wait. */
function findSteps(declared: DesiredState['flags'] | undefined, flags: readonly Flag[]): readonly string[] {
  const keys = new Set(flags.map(({ key }) => key));
  return (declared ?? []).flatMap((flag) => {
    if (flag.kind !== 'declared' || !keys.has(flag.key)) return [];
    const switches = (flag.rollouts ?? []).filter(({ path }) => path === '/active');
    const next = switches.flatMap(({ step, steps }) => steps.slice(step + 1)).find(({ to }) => to === true);
    if (next === undefined) return [];
    const key = quoteShort(flag.key);
    return [
      `${key}: a step of its manifest turns it on at ${timeText(next.at)}`,
      '  Remove the step from the manifest before then: only this machine knows that you want the flag off',
    ];
  });
}
