/** `flagwright stale`: shows which flags can be removed, from all that is known of them, and what to do next. Writes nothing. */

import { defined } from '../../base/optional.ts';
import type { Config } from '../../config/config.ts';
import { matchKeys, matchScope } from '../../core/engine/scope.ts';
import type { OwnerRules } from '../../core/manifest/code-owners.ts';
import { typeFlags } from '../../code/generate/typed-flag.ts';
import type { DeclaredFlag } from '../../posthog/desired.ts';
import {
  joinTendencies,
  nextStep,
  tendencyOfCode,
  type StaleFlag,
  type Tendency,
} from '../../code/references/staleness.ts';
import { useFinder, type FlagUse, type KnownCode } from '../../code/references/use.ts';
import { withCheckout, type Checkout } from '../applied/open-checkout.ts';
import { knowCode } from './know-code.ts';
import type { ExitCode } from '../line/exit.ts';
import { checkLiveTargets } from '../project/check-targets.ts';
import { findOwners } from '../project/find-owners.ts';
import { loadConfiguration } from '../project/load-project.ts';
import { chooseRemoteProjects, isRemote, readProjects, type ResolvedProject } from '../project/resolve-projects.ts';
import type { Session } from '../session/session.ts';
import { fromTop } from './refs.ts';
import {
  blameFlags,
  type BlamedFlag,
  answerEvidence,
  expiryEvidence,
  holdersOf,
  flagOfProjects,
  ownerOrAuthor,
  serviceEvidence,
  type FlagOfProjects,
  readLive,
  readReasons,
  type LiveRead,
} from './stale-evidence.ts';

interface StaleOptions {
  /** Keys or globs; empty: all that are declared. */
  readonly keys: readonly string[];
  readonly unmanaged?: boolean;
  readonly days: number;
  readonly task?: boolean;
}

export async function stale(session: Session, options: StaleOptions): Promise<ExitCode> {
  const config = await loadConfiguration(session);
  const asked = await chooseRemoteProjects(session, config);
  const { projects } = await readProjects(session, config, Object.values(config.projects));
  const names = asked.map(({ name }) => name);
  const resolved = names.flatMap((name) => projects.find(({ project }) => project.name === name)?.project ?? []);
  const live = await readLive(session, resolved);
  const all = findFlags(config, projects, { live, unmanaged: options.unmanaged === true });
  const allKeys = all.map(({ key }) => key);
  if (options.keys.length > 0)
    checkLiveTargets(options.keys, allKeys, { project: names.join(', '), targeting: 'keys' });
  const isChosen = options.keys.length === 0 ? () => true : matchKeys(options.keys);
  const flags = all.filter(({ key }) => isChosen(key));
  const found = await withCheckout(session, config, async (checkout) => {
    const typed = typeFlags(projects.map(({ project: { name }, resolution: { desired } }) => ({ name, desired })));
    const keys = { keys: all.flatMap(({ keys: own }) => own), accessors: typed.map(({ key }) => key) };
    const searched = await knowCode({ session, config, checkout }, keys);
    const found = { use: finderOf(searched.code), owners: await findOwners(config) };
    return { ...searched, flags: await judgeAll({ session, config, checkout, live, options, ...found }, flags) };
  });
  session.places.root = found.top;
  const kept = found.flags.filter(({ step }) => options.keys.length > 0 || step !== 'none');
  const reasons = await readReasons(session, live, kept);
  await session.publish({
    kind: 'stale',
    code: found.code,
    flags: kept.map((flag) => fromTop({ ...flag, live: flag.live.map(reasons.explain) }, config, found.top)),
    listed: options.keys.length > 0,
    judged: flags.length,
    days: options.days,
    asked: live.projects.map(({ project: { name } }) => name),
    unasked: [
      ...live.refused,
      ...Object.values(config.projects).flatMap(({ name, service }) =>
        names.includes(name) || (service === 'embedded' && asked.some(isRemote)) ? [] : [{ name }],
      ),
    ],
    requests: live.requests + reasons.requests,
    ...defined({ unexplained: reasons.unexplained }),
    tasks: options.task === true,
  });
  return 0;
}

export function findFlags(
  config: Config,
  projects: readonly ResolvedProject[],
  { live, unmanaged }: { readonly live: LiveRead; readonly unmanaged: boolean },
): readonly FlagOfProjects[] {
  const byKey = new Map<string, Map<string, DeclaredFlag>>();
  const named = new Set<string>();
  for (const { project, resolution } of projects) {
    for (const flag of resolution.desired.flags) {
      named.add(flag.key);
      if (flag.kind !== 'declared') continue;
      for (const key of flag.previousKeys) named.add(key);
      byKey.set(flag.key, (byKey.get(flag.key) ?? new Map<string, DeclaredFlag>()).set(project.name, flag));
    }
  }
  const inScope = matchScope(config.scope);
  const keys = unmanaged ? live.projects.flatMap(({ flags }) => flags.map(({ key }) => key)) : [];
  for (const key of keys) if (!named.has(key) && inScope(key)) byKey.set(key, byKey.get(key) ?? new Map());
  return [...byKey]
    .map(([key, declared]) => flagOfProjects(key, declared))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

export function finderOf(code: KnownCode): (flag: FlagOfProjects) => FlagUse {
  const find = useFinder(code);
  return (flag) => {
    const [own, ...former] = flag.keys.map(find) as [FlagUse, ...FlagUse[]];
    return former.reduce(
      (sum, use) => ({
        key: sum.key,
        verdict: WORST.find((one) => one === sum.verdict || one === use.verdict) ?? 'unknown',
        references: [...sum.references, ...use.references],
        indirect: [...sum.indirect, ...use.indirect],
        loose: sum.loose + use.loose,
        gaps: sum.gaps.length > 0 ? sum.gaps : use.gaps,
      }),
      own,
    );
  };
}

const WORST: readonly FlagUse['verdict'][] = ['read', 'unknown', 'possible', 'indirect', 'not_found'];

export interface EvidenceReading {
  readonly session: Session;
  readonly config: Config;
  readonly checkout: Checkout;
  readonly live: LiveRead;
  readonly options: Pick<StaleOptions, 'keys' | 'days'>;
  readonly use: (flag: FlagOfProjects) => FlagUse;
  readonly owners: OwnerRules;
}

/** Asks git only about flags whose next step depends on their age. */
async function judgeAll(reading: EvidenceReading, flags: readonly FlagOfProjects[]): Promise<readonly StaleFlag[]> {
  const open = flags.filter((flag) => {
    const { signals, state } = judgeFlag(reading, flag, undefined);
    const hasStep = (age: Tendency): boolean => nextStep({ ...signals, age }, state, false) !== 'none';
    return reading.options.keys.length > 0 || hasStep('for') || hasStep('unknown');
  });
  const blamed = await blameFlags(reading, open);
  return flags.map((flag) => judgeFlag(reading, flag, blamed.get(flag.key)));
}

export function judgeFlag(
  { live, config, session, options: { days }, use: find, owners }: EvidenceReading,
  flag: FlagOfProjects,
  blamed: BlamedFlag | undefined,
): StaleFlag {
  const use = find(flag);
  const now = session.context.now();
  const service = serviceEvidence(flag, live, { now, days });
  const { answer, tendency } = answerEvidence(flag, service.flags);
  const { expires, expiry } = expiryEvidence(flag, service.flags, { policies: config.policies, now });
  const holders = holdersOf(service.flags);
  const changes = [
    ...(blamed?.at === undefined || !service.isAsDeclared ? [] : [{ at: blamed.at, by: 'git' as const }]),
    ...service.changed.map((at) => ({ at, by: 'service' as const })),
  ];
  const [changed] = changes.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
  // A flag that was changed later is not old enough to be removed.
  const isOld = changed && Date.parse(changed.at) <= now - days * DAY;
  const age = isOld === undefined ? 'unknown' : isOld ? 'for' : 'against';
  const signals = {
    code: tendencyOfCode(use),
    calls: joinTendencies(service.calls),
    answer: tendency,
    age: blamed?.isUncommitted === true ? 'against' : age,
    expiry,
  } as const;
  const [first] = flag.declared.values();
  const text = first?.fields['name'] ?? service.flags[0]?.flag.name;
  return {
    key: flag.key,
    step: nextStep(signals, service.state, holders.length > 0),
    signals,
    state: service.state,
    use,
    live: service.evidence,
    holders,
    ...defined({
      place: first?.places.place,
      description: typeof text === 'string' && text.trim() !== '' ? text : undefined,
      answer,
      changed,
      expires,
      owner: ownerOrAuthor(flag, service.flags, { rules: owners, ...defined({ author: blamed?.author }) }),
    }),
  };
}

const DAY = 86_400_000;
