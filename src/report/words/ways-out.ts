/** The ways out of a refusal by a safety rule: the option that allows it, or what to do instead; and the command that says more. */

import { stringifyJson } from '../../base/json-text.ts';
import type { Permit } from '../../core/engine/safety.ts';
import { nameOfPointer } from '../../posthog/flag/model/fields.ts';
import { isOfMain, readName } from '../../posthog/names/resource-name.ts';
import type { Hazard } from '../../posthog/plan.ts';
import { escapeLine, quoteShort, shellWord } from '../escape.ts';
import { experimentNames, experimentsText } from './amounts.ts';

/** A hazard that is about what people did in the service. The service may refuse the others anyway; without a permit it does. */
type Moved = Extract<Hazard, { code: 'conflict' | 'switched_off' | 'dependency_left' }>;

export interface WayOut {
  readonly words: string;
  readonly text: string;
}

/**
 * The option that allows it. Where the plan would undo what people did, first how to accept that, and how to leave it alone.
 * `project`: its name, for commands. `keys`: of all that the same is said of.
 */
export function waysOut(
  hazard: Hazard,
  project: string | undefined,
  keys: readonly string[] = 'key' in hazard ? [hazard.key] : [],
): readonly WayOut[] {
  const { permit } = hazard;
  if (permit === undefined) return waysToPrepare(hazard, project);
  if (!isMoved(hazard)) {
    const values = keys.length > 0 ? keys : [String(permit.value)];
    const text = values.map((value) => `${PERMIT_OPTIONS[permit.kind]} ${quoteShort(value)}`).join(' ');
    return [{ words: 'Allow it with', text }];
  }
  const words = keys.map(shellWord);
  return [
    {
      words: 'To write what is live into the manifests, run',
      text: `flagwright accept ${isPruned(hazard) ? '--unmanaged ' : ''}${words.join(' ')}${project === undefined ? '' : ` -p ${shellWord(project)}`}`,
    },
    wayToRelease(hazard, keys),
    {
      words:
        hazard.code === 'switched_off' && hazard.deleted !== true ? TURN_ON : 'To use what the manifests declare, add',
      text: words.map((word) => `--override ${word}`).join(' '),
    },
  ];
}

const TURN_ON = 'To turn it back on, add';

function waysToPrepare(
  hazard: Exclude<Hazard, { readonly permit: Permit }>,
  project: string | undefined,
): readonly WayOut[] {
  switch (hazard.code) {
    case 'dependents':
      return waysToFree(hazard, project);
    case 'dependencies_disabled':
      return [
        { words: 'To enable what it depends on, too, declare', text: switchText(hazard.first, true) },
        { words: 'To enable it alone, remove the conditions on disabled flags from the manifest of', text: hazard.key },
      ];
    case 'experiments':
      return [{ words: 'In the service, end first', text: experimentsText(hazard.experiments) }];
    case 'experiment_variants':
      return [
        { words: 'Declare again', text: hazard.variants.join(', ') },
        { words: 'In the service, end first', text: experimentNames(hazard.experiments) },
      ];
    case 'replay_linked':
      return [{ words: 'In the settings of session replay, remove first', text: hazard.key }];
    case 'early_access_refused':
      return [{ words: 'Declare for it a flag without variants, for persons, under', text: 'flag' }];
    case 'early_access_linked':
      return [{ words: 'In the service, delete first the early access feature', text: hazard.feature }];
    case 'cohort_used': {
      const text = [...hazard.flags, ...hazard.cohorts.map((name) => `cohort ${name}`)].join(', ');
      return [{ words: 'Remove first the conditions on it from', text }];
    }
  }
}

function waysToFree(
  { key, action, dependents, first = dependents, conditions }: Extract<Hazard, { code: 'dependents' }>,
  project: string | undefined,
): readonly WayOut[] {
  const numbers = Array.from({ length: conditions ?? 0 }, (_, index) => `${index + 1}: { rollout_percentage: 0 }`);
  const zero = `projects: { ${yamlKey(project ?? 'PROJECT')}: { conditions: { ${numbers.join(', ')} } } }`;
  return [
    { words: 'To disable what depends on it, too, declare', text: switchText(first, false) },
    { words: `To keep that enabled, remove the conditions on ${quoteShort(key)} from`, text: dependents.join(', ') },
    ...(action === 'delete' || conditions === undefined
      ? []
      : [{ words: 'To leave it enabled with 0% in every condition, declare for it', text: zero }]),
  ];
}

const MOST_SWITCHES = 20;

/** An apply finds the order by itself; by hand it is that of the list. */
function switchText(keys: readonly string[], active: boolean): string {
  const shown = keys.slice(0, MOST_SWITCHES).map((key) => `${yamlKey(key)}: { active: ${active} }`);
  const hidden = keys.length - shown.length;
  return `flags: { ${shown.join(', ')} }${hidden === 0 ? '' : ` and ${hidden} more, which JSON lists as "first"`}`;
}

function yamlKey(name: string): string {
  return /^[a-z][\w.-]*$/i.test(name) && !/^(true|false|null)$/i.test(name) ? name : stringifyJson(name);
}

function isMoved(hazard: Hazard): hazard is Moved {
  return hazard.code === 'conflict' || hazard.code === 'switched_off' || hazard.code === 'dependency_left';
}

function isPruned(hazard: Moved): boolean {
  return hazard.code === 'conflict' && hazard.pruned === true;
}

/** Cohorts have no ownership of parts. */
function wayToRelease(hazard: Moved, keys: readonly string[]): WayOut {
  if (hazard.code === 'dependency_left') {
    const words = `To leave ${escapeLine(hazard.key)} as it is, remove the condition on it from the manifest of`;
    return { words, text: hazard.dependent };
  }
  if (!isOfMain(hazard.key)) {
    const { kind } = readName(hazard.key);
    const text = keys.map((name) => readName(name).key).join(', ');
    return { words: `To leave the ${kind} to the service, remove its manifest:`, text };
  }
  if (isPruned(hazard)) {
    const text = `scope: { exclude: [${keys.map((key) => stringifyJson(key)).join(', ')}] }`;
    return { words: 'To leave the flag to the service, declare in flagwright.yaml', text };
  }
  const paths = pathsOf(hazard);
  if (paths.length === 0) {
    return { words: 'To leave the flag to the service, remove its manifest:', text: keys.join(', ') };
  }
  const names = new Set(paths.map((pointer) => yamlKey(nameOfPointer(pointer))));
  const entries = [...names].map((name) => `${name}: observed`);
  return { words: 'To leave it to the service, declare for the flag', text: `ownership: { ${entries.join(', ')} }` };
}

/** Empty where it is about the flag as a whole. */
function pathsOf(hazard: Exclude<Moved, { code: 'dependency_left' }>): readonly string[] {
  if (hazard.code === 'switched_off') return hazard.deleted === true ? [] : (hazard.off?.paths ?? ['/active']);
  return hazard.action === 'delete' ? [] : hazard.paths;
}

const PERMIT_OPTIONS: Readonly<Record<Permit['kind'], string>> = {
  deletes: '--allow-deletes',
  updates: '--allow-updates',
  disables: '--allow-disables',
  protected: '--allow-protected',
  risky: '--allow-risky',
  override: '--override',
};

/** `project`: its name. */
export function activityNote(key: string, project: string): string {
  return `Every edit of the flag: flagwright flags activity ${shellWord(key)} -p ${shellWord(project)}`;
}
