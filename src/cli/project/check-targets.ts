/** Refuses a key or `--target` that selects no flag of the run: the run would end as if everything were in sync. */

import { FlagwrightError } from '../../base/errors.ts';
import { nearest } from '../../base/text.ts';
import { quoted, shown } from '../../base/wording.ts';
import { matchKeys, unmatchedPatterns } from '../../core/engine/scope.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import { declaredNames, FAMILIES } from '../../posthog/families.ts';
import type { LiveState } from '../../posthog/live.ts';
import { nameResource } from '../../posthog/names/resource-name.ts';
import { shellWord } from '../../report/escape.ts';
import type { OnMisses, TargetMiss } from '../session/session-parts.ts';

export interface SelectableFlags {
  readonly project: string;
  readonly desired: DesiredState;
  readonly live: LiveState;
  /** Keys of unmanaged flags that the run reports or deletes. */
  readonly unmanaged: readonly string[];
  readonly targeting?: TargetSource;
  readonly onMisses?: OnMisses;
}

/** The syntax that names the flags: an option, arguments, or arguments that name unmanaged flags only. */
export type TargetSource = 'option' | 'override' | 'keys' | 'unmanaged';

const OPTIONS: Readonly<Record<TargetSource, string>> = {
  option: '--target ',
  override: '--override ',
  keys: '',
  unmanaged: '',
};

/** @throws {FlagwrightError} `usage` with the reason and the remedy for each target that selects nothing. */
export function checkTargets(targets: readonly string[], selectable: SelectableFlags): void {
  const { desired, unmanaged, project, targeting = 'option', onMisses } = selectable;
  if (targeting === 'unmanaged') {
    const among = `that is in scope in the project ${quoted(project)} and that no manifest declares`;
    const choice = { keys: unmanaged, among, targeting };
    return report(
      unmatchedPatterns(targets, unmanaged).map((target) => explainUnknown(target, choice)),
      onMisses,
    );
  }
  const others = declaredNames({ ...desired, flags: [] });
  const keys = [...desired.flags.map(({ key }) => key), ...unmanaged, ...others];
  report(
    unmatchedPatterns(targets, keys).map((target) => explain(target, keys, selectable)),
    onMisses,
  );
}

/**
 * The same for live flags that are exported.
 * @throws {FlagwrightError} `usage`, as above.
 */
export function checkLiveTargets(
  targets: readonly string[],
  keys: readonly string[],
  { project, targeting = 'option', onMisses }: Pick<SelectableFlags, 'project' | 'targeting' | 'onMisses'>,
): void {
  const choice = { keys, among: `of the project ${quoted(project)}`, targeting } as const;
  report(
    unmatchedPatterns(targets, keys).map((target) => explainUnknown(target, choice)),
    onMisses,
  );
}

/**
 * The same for resources whose live edits a run may revert.
 * @throws {FlagwrightError} `usage`, as above.
 */
export function checkOverrides(
  overrides: readonly string[],
  { desired, live, ...of }: Pick<SelectableFlags, 'project' | 'desired' | 'live' | 'onMisses'>,
): void {
  checkLiveTargets(overrides, knownNames(desired, live.flags), { ...of, targeting: 'override' });
}

/** The names of all declared resources and of all live flags. */
export function knownNames(desired: DesiredState, live: LiveState['flags']): readonly string[] {
  const keys = [...desired.flags, ...live.filter(({ deleted }) => deleted !== true)].map(({ key }) => key);
  return [...new Set(keys), ...declaredNames({ ...desired, flags: [] })];
}

/**
 * Of what projects of one run miss, what none of them has: that is a mistake, and anything else means that there is nothing to do.
 * `undefined`: the project failed before its check. It may have what the manifests declare for others.
 */
export function missedByAll(
  checks: ReadonlyMap<string, readonly TargetMiss[] | undefined>,
): ReadonlyMap<string, readonly TargetMiss[]> {
  const known = [...checks].flatMap(([project, misses]) => (misses === undefined ? [] : [[project, misses] as const]));
  const isMissed = ({ name, isElsewhere }: TargetMiss): boolean =>
    known.every(([, misses]) => misses.some((one) => one.name === name)) &&
    (isElsewhere !== true || known.length === checks.size);
  return new Map(known.map(([project, misses]) => [project, misses.filter(isMissed)]));
}

function report(misses: readonly TargetMiss[], onMisses: OnMisses = refuse): void {
  onMisses(misses);
}

function refuse(misses: readonly TargetMiss[]): void {
  if (misses.length > 0) throw missError(misses);
}

export function missError(misses: readonly TargetMiss[]): FlagwrightError {
  const distinct = (texts: readonly string[]): string => [...new Set(texts)].join(' ');
  return new FlagwrightError('usage', distinct(misses.map(({ why }) => why)), {
    remedy: distinct(misses.map(({ remedy }) => remedy)),
  });
}

function explain(target: string, keys: readonly string[], selectable: SelectableFlags): TargetMiss {
  const { project, live, targeting = 'option' } = selectable;
  const isNamed = matchKeys([target]);
  const name = nameOf(target, targeting);
  const elsewhere = selectable.desired.namedElsewhere?.flags?.find(isNamed);
  if (elsewhere !== undefined) {
    return {
      name,
      isElsewhere: true,
      why: `${name}: the manifests declare ${quoted(elsewhere)} for other projects, not for ${quoted(project)}.`,
      remedy: 'Select another project with --project, or change `only_in` in the manifest.',
    };
  }
  const renamed = selectable.desired.flags.find(
    (flag) => flag.kind === 'declared' && flag.previousKeys.some(isNamed),
  )?.key;
  if (renamed !== undefined) {
    return {
      name,
      why: `${name}: that is a previous key of ${quoted(renamed)}.`,
      remedy: `Use ${nameOf(renamed, targeting)}.`,
    };
  }
  const unmanaged = live.flags.find(({ key, deleted }) => deleted !== true && isNamed(key))?.key;
  if (unmanaged !== undefined) {
    return {
      name,
      why: `${name}: no manifest declares the flag ${quoted(unmanaged)} of the project ${quoted(project)}.`,
      remedy: `To declare it, run flagwright accept --unmanaged ${shellWord(unmanaged)} -p ${shellWord(project)}.`,
    };
  }
  const among = `that the manifests declare for the project ${quoted(project)}`;
  return explainUnknown(target, { keys, among, targeting });
}

function nameOf(target: string, targeting: TargetSource): string {
  const option = OPTIONS[targeting];
  return option === '' ? quoted(target) : `${option}${shown(target)}`;
}

interface KeyChoice {
  readonly keys: readonly string[];
  /** The flags that could have been named. */
  readonly among: string;
  readonly targeting: TargetSource;
}

function explainUnknown(target: string, { keys, among, targeting }: KeyChoice): TargetMiss {
  const name = nameOf(target, targeting);
  const option = OPTIONS[targeting];
  const parts = target.split(',').map((part) => part.trim());
  if (parts.length > 1 && !target.includes('{')) {
    const words = parts.filter((part) => part !== '').map(shown);
    return {
      name,
      why: `${name} matches no flag: a comma does not separate ${targeting === 'option' ? 'targets' : 'keys'}.`,
      remedy: `Separate them with spaces: ${option}${words.join(' ')}.`,
    };
  }
  const why = `${name} matches no flag ${among}.`;
  if (keys.length === 0) return { name, why, remedy: 'There is none to name.' };
  const ofFurther = FAMILIES.map(({ kind }) => nameResource(kind, target)).find((one) => keys.includes(one));
  if (ofFurther !== undefined) return { name, why, remedy: `Did you mean ${nameOf(ofFurther, targeting)}?` };
  if (target !== '' && keys.some((key) => key.startsWith(target))) {
    return { name, why, remedy: `For all keys with this prefix, use ${option}"${shown(target)}*".` };
  }
  const suggestion = nearest(target, keys);
  const remedy = suggestion === undefined ? 'Check its spelling.' : `Did you mean ${nameOf(suggestion, targeting)}?`;
  return { name, why, remedy };
}
