/** Reads a plan's document: the file that `plan --out` writes, and the plan in a journal. */

import { type ErrorDetails, FlagwrightError } from '../../base/errors.ts';
import { validatePlan } from '../../base/generated/plan-validators.ts';
import { parseJson, stringifyJson } from '../../base/json-text.ts';
import { isJsonObject, type JsonObject, type JsonValue, nestsWithin } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { Forecast } from './forecast.ts';
import type { Kind, Model } from './kind.ts';
import { fingerprintOf, keysWithoutSecrets, PLAN_FORMAT_VERSION } from './plan-document.ts';
import type { Plan } from './plan.ts';

/** Deeper than any answer of the service. */
const DEEPEST_NESTING = 600;

/** @throws {FlagwrightError} `plan_invalid` when a request of the plan needs a secret that its document leaves out. */
export function checkExecutable<M extends Model>(
  { changes }: Pick<Plan<M>, 'changes'>,
  kinds: readonly Kind<M>[],
): void {
  const [key] = keysWithoutSecrets(changes, kinds);
  if (key === undefined) return;
  throw new FlagwrightError(
    'plan_invalid',
    `The saved plan cannot be used. It changes the encrypted payloads of ${key}, which must not be in files.`,
    { remedy: 'Apply without a saved plan, or leave the payloads as they are.' },
  );
}

/**
 * The plan in a document, to be shown.
 * @throws {FlagwrightError} `plan_invalid` when the document is not a plan, has another format version, is cut, or was edited.
 */
export function parsePlan(text: string): PlanFile {
  return readPlan(parseDocument(text));
}

/** Does the same as `parsePlan`, for a document that was parsed before. */
export function readPlan(document: JsonObject): PlanFile {
  if (!nestsWithin(document, DEEPEST_NESTING)) throw invalid('It is not a flagwright plan.');
  const { format_version: version, fingerprint, ...members } = document;
  const { forecast, attributions, cohort_names, policy, exceptions, approvers, against, at } = members;
  const content = Object.fromEntries(Object.entries(members).filter(([name]) => !EXTRA_MEMBERS.has(name)));
  if (version !== PLAN_FORMAT_VERSION) {
    throw invalid(`It has format version ${quotedVersion(version)}, and this flagwright reads ${PLAN_FORMAT_VERSION}.`);
  }
  if (!validatePlan(document) || !namesEachChangeOnce(document as unknown as Plan))
    throw invalid('It is not a flagwright plan.');
  if (fingerprint !== fingerprintOf(content))
    throw invalid('Its content does not match its fingerprint: the file was edited or truncated.');
  const plan = { ...content, fingerprint } as unknown as Plan;
  const extras = defined({
    forecast: forecast as unknown as Forecast | undefined,
    attributions,
    cohort_names,
    policy,
    exceptions,
    approvers,
    against,
    at,
  });
  return { plan, ...extras };
}

/** Members of a document besides the plan; the fingerprint does not cover them. Not all of them are read again. */
const EXTRA_MEMBERS: ReadonlySet<string> = new Set([
  'forecast',
  'attributions',
  'cohort_names',
  'against',
  'at',
  'effects',
  'live_effects',
  'drift_effects',
  'unmanaged_edits',
  'owners',
  'policy',
  'exceptions',
  'approvers',
  'broken_rules',
  'named_people',
  'impact',
  'approvals',
  'readers',
  'steps_ahead',
  'steps_soon',
  'scheduled',
]);

/** The fingerprint covers only the plan. */
interface PlanFile {
  readonly plan: Plan;
  readonly forecast?: Forecast;
  /** Attributions by kind of resource, as in the document. */
  readonly attributions?: JsonValue;
  readonly cohort_names?: JsonValue;
  /** The judgement of policies, as in the document. */
  readonly policy?: JsonValue;
  readonly exceptions?: JsonValue;
  readonly approvers?: JsonValue;
  /** The snapshot that the plan was made against, as in the document. */
  readonly against?: JsonValue;
  /** Another time than now that the plan is of. */
  readonly at?: JsonValue;
}

/** Every change follows what it needs. A plan that was written by hand may have a valid fingerprint. */
function namesEachChangeOnce({ changes }: Plan): boolean {
  const before = new Set<string>();
  return changes.every(({ ref, needs }) => {
    const fits = !before.has(ref) && needs.every((needed) => before.has(needed));
    before.add(ref);
    return fits;
  });
}

export function parseDocument(text: string): JsonObject {
  const other = findOtherFile(text);
  if (other !== undefined) throw invalid(`It is ${other.what}.`, { remedy: other.remedy });
  let value: JsonValue;
  try {
    value = parseJson(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    throw invalid('The file is not complete JSON.', { cause });
  }
  if (!isJsonObject(value)) throw invalid('It is not a flagwright plan.');
  return value;
}

function quotedVersion(version: JsonValue | undefined): string {
  return typeof version === 'string' ? stringifyJson(version.slice(0, 20)) : 'null';
}

function invalid(why: string, details: Pick<ErrorDetails, 'remedy' | 'cause'> = {}): FlagwrightError {
  return new FlagwrightError('plan_invalid', `The saved plan cannot be used. ${why}`, {
    remedy: 'Make a new one with `flagwright plan --out FILE`.',
    ...details,
  });
}

interface OtherFile {
  /** `a manifest`. */
  readonly what: string;
  readonly remedy: string;
}

/** `undefined` for a JSON object, which may be a plan. The text of a binary file is its bytes read as UTF-8. */
export function findOtherFile(text: string): OtherFile | undefined {
  const beginning = text.slice(0, 1000).replace(/^[\uFEFF\s]+/, '');
  return OTHER_FILES.find(({ begins }) => begins.test(beginning)) ?? (/^[{[]/.test(beginning) ? undefined : UNKNOWN);
}

const MAKE_ONE = 'Save a plan with `flagwright plan --out FILE`.';

const OTHER_FILES: readonly (OtherFile & { readonly begins: RegExp })[] = [
  { begins: /^$/, what: 'an empty file', remedy: MAKE_ONE },
  {
    begins: /^\{\s*"kind":\s*"snapshot"/,
    what: 'a snapshot of a project',
    remedy: 'Plan against it with `flagwright plan --against FILE`. A plan for apply is made without --against.',
  },
  { begins: /^(?:Plan for|Drift of|Undo of) /, what: 'the text of a plan', remedy: MAKE_ONE },
  {
    begins: /^(?:(?:#[^\n]*|---[^\n]*|)\n\s*)*(?:flags|cohorts|early_access|role_access):/,
    what: 'a manifest',
    remedy: 'Run `flagwright apply` without a file to apply the manifests; --target KEY limits it to some flags.',
  },
  {
    begins: /^\{"kind":"begun"/,
    what: 'the journal of a run',
    remedy: 'Finish the run with `flagwright apply --resume RUN`, or revert it with `flagwright undo RUN`.',
  },
  { begins: /^(?:PK\p{Cc}|\p{Cc}\uFFFD)/u, what: 'a compressed archive', remedy: 'Unpack it first.' },
  { begins: /^\uFFFD\uFFFD.?\0|^.\0/s, what: 'a UTF-16 file', remedy: MAKE_ONE },
];

const UNKNOWN: OtherFile = { what: 'not a flagwright plan', remedy: MAKE_ONE };
