/** `flagwright accept`: takes live values over into the manifests. */

import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import { acceptLive } from '../../editing/accept/accept.ts';
import type { Accepted } from '../../editing/accept/accepted.ts';
import { matchKeys } from '../../engine/scope.ts';
import { explainFieldPath } from '../../posthog/flag/field-path-words.ts';
import { parseFieldPath, type FieldPath } from '../../posthog/flag/field-path.ts';
import type { AcceptOptions } from '../line/commands.ts';
import type { ExitCode } from '../line/exit.ts';
import type { Session } from '../session/session.ts';
import { readEditing } from '../stages/accept-read.ts';
import { saveAccepted } from '../stages/accept-save.ts';
import { declareUnmanagedFlags } from '../stages/accept-unmanaged.ts';
import type { Targeting } from '../stages/check-targets.ts';
import { withPlan, type FreshPlan } from '../stages/make-plan.ts';

/** Exits with 3 if a flag was left as it is. */
export async function accept(session: Session, keys: readonly string[], options: AcceptOptions): Promise<ExitCode> {
  const named = [...keys, ...(options.target ?? [])];
  const targets = named.length === 0 ? undefined : named;
  refuseTogether(targets, options);
  const only = options.only?.map(parseOnly);
  const { unmanaged, base, who } = options;
  const targeting: Targeting = unmanaged === true ? 'unmanaged' : 'keys';
  return withPlan(session, defined({ target: targets, targeting, unmanaged, base, who }), async (made) => {
    const { loaded, live, plan, opened, attributions } = made;
    if (unmanaged === true) return acceptUnmanaged(session, made, { targets: targets ?? [], options });
    const { manifests, project, projects } = await readEditing(made);
    const selection = { pending: options.pending === true, ...defined({ keys: targets, only }) };
    const layer = options.layer ?? 'auto';
    const { edited, ...accepted } = acceptLive({ live, project, projects, manifests, plan, selection, layer });
    const outcome = { ...accepted, project: opened.identity, added: [], ...defined({ base: plan.base, attributions }) };
    return saveAccepted(session, { config: loaded.config, manifests, edited, created: [], outcome, options });
  });
}

async function acceptUnmanaged(
  session: Session,
  made: FreshPlan,
  { targets, options }: { readonly targets: readonly string[]; readonly options: AcceptOptions },
): Promise<ExitCode> {
  const { loaded, live, plan, opened } = made;
  const keys = new Set(plan.unmanaged.filter(matchKeys(targets)));
  const editing = await readEditing(made);
  const { edited, files, added, left } = await declareUnmanagedFlags(loaded, { ...editing, live, keys });
  const outcome: Outcome = { accepted: [], pending: [], left, project: opened.identity, added };
  const { manifests } = editing;
  return saveAccepted(session, { config: loaded.config, manifests, edited, created: files, outcome, options });
}

type Outcome = Parameters<typeof saveAccepted>[1]['outcome'] & Pick<Accepted, 'left'>;

function parseOnly(text: string): FieldPath {
  const path = parseFieldPath(text);
  if (!('problem' in path)) return path;
  const { message, remedy } = explainFieldPath(text, path.problem);
  throw new FlagwrightError('usage', `--only: ${message}`, { remedy });
}

function refuseTogether(targets: readonly string[] | undefined, options: AcceptOptions): void {
  const { unmanaged, only, pending, layer } = options;
  if (unmanaged !== true) return;
  if (targets === undefined) {
    throw new FlagwrightError('usage', '--unmanaged needs the keys of the flags to declare.', {
      remedy: 'Name them, or use a glob such as "*" for all: flagwright accept --unmanaged "*".',
    });
  }
  const other =
    only !== undefined ? '--only' : pending === true ? '--pending' : layer === undefined ? undefined : '--layer';
  if (other === undefined) return;
  throw new FlagwrightError('usage', `--unmanaged and ${other} cannot be used together.`, {
    remedy: '--unmanaged declares a flag as a whole.',
  });
}
