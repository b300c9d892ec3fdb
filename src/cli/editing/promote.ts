/** `flagwright promote KEY…`: copies flags from one project to another in the manifests. */

import { FlagwrightError } from '../../base/errors.ts';
import { nearest } from '../../base/text.ts';
import { didYouMean, listed, quoted } from '../../base/wording.ts';
import type { Config, Direction } from '../../config/config.ts';
import { selectProject } from '../../config/select.ts';
import { hasPart, promoteFlags, sourcesOf } from '../../editing/actions/promote.ts';
import { PARTS, type EditedPart } from '../../editing/edit.ts';
import { readTexts } from '../../editing/texts.ts';
import { matchKeys } from '../../core/engine/scope.ts';
import { joinSelections, listing, selectionOf } from '../../posthog/live-selection.ts';
import { readName } from '../../posthog/names/resource-name.ts';
import { withFoundNames } from '../../posthog/reading/found-names.ts';
import { readLiveState } from '../../posthog/reading/live-state.ts';
import { placeText, shellWord } from '../../report/escape.ts';
import { unwrittenLines } from '../../report/formats/text/page.ts';
import { leftPromotionText } from '../../report/words/editing.ts';
import type { ExitCode } from '../line/exit.ts';
import { noteNext, saveEdits } from '../manifests/save-edits.ts';
import { checkLiveTargets } from '../project/check-targets.ts';
import { loadConfiguration, warn } from '../project/load-project.ts';
import { withProject } from '../project/open-project.ts';
import type { Session } from '../session/session.ts';
import { readManifestTexts } from './manifest-texts.ts';

export interface PromoteOptions {
  readonly keys: readonly string[];
  readonly from: string;
  readonly to: string;
  readonly only?: readonly string[];
  readonly live?: boolean;
  readonly patch?: boolean;
  readonly yes?: boolean;
}

/** Exits with 3 if a flag was left as it is. */
export async function promote(session: Session, { keys: named, ...options }: PromoteOptions): Promise<ExitCode> {
  const parts = options.only === undefined ? undefined : parseParts(options.only);
  const written = await loadConfiguration(session);
  if (selectProject(written, options.from) === selectProject(written, options.to)) {
    throw new FlagwrightError('usage', `--from and --to both name ${quoted(options.from)}.`, {
      remedy: 'Name two projects of flagwright.yaml.',
    });
  }
  refuseDirection(written, options);
  const { config, texts: manifests } = await readManifestTexts(written);
  const [from, to] = [selectProject(config, options.from), selectProject(config, options.to)];
  const { desired } = readTexts(manifests, Object.keys(config.projects)).resolve(from);
  const sections = named.map((name) => readName(name).section);
  const selection = joinSelections([selectionOf(desired), listing(sections)]);
  const { keys: selected = [], ids = [] } = selection.flags;
  const live =
    options.live === true
      ? await withProject(session, { project: from }, ({ client }) =>
          readLiveState(client, { ...selection, flags: { keys: selected, ids } }),
        )
      : undefined;
  const found = withFoundNames(from, desired, { live, shared: 'refuse' });
  const source = sourcesOf(desired, live, found);
  checkLiveTargets(named, [...source.keys()], { project: from.name, targeting: 'keys' });
  // A glob selects only resources that have the requested parts.
  const isMeant = (key: string): boolean => parts === undefined || hasPart(key, parts) || named.includes(key);
  const keys = [...source.keys()].filter(matchKeys(named)).filter(isMeant).sort();
  const projects = Object.values(config.projects);
  const { edited, ...outcome } = promoteFlags({
    ...{ from: found, to, projects, manifests, source, keys },
    ...(parts === undefined ? {} : { parts }),
  });
  const texts = new Map([...manifests, ...edited].map(({ file, text }) => [file, text]));
  await warn(session, outcome.warnings, ({ file, line }) => texts.get(file)?.split(/\r\n|\r|\n/)[line - 1]);
  const saved = await saveEdits(session, { config, manifests, edited, created: [], options });
  const shown = { from: from.name, to: to.name, source: live === undefined ? 'manifests' : 'live' } as const;
  await session.publish({ kind: 'promote', ...shown, ...outcome, ...saved });
  const command = `flagwright plan -p ${shellWord(to.name)}`;
  const next = `Commit the files, and apply them to ${to.name}, which has not changed yet. To see what that does: ${command}`;
  await noteNext(session, config, { saved, next });
  const { left } = outcome;
  if (saved.patch !== undefined) {
    const lines = left.flatMap((flag) => unwrittenLines(leftPromotionText(flag), flag.suggestion, session));
    for (const line of lines) await session.print(`${line}\n`);
  }
  return left.length === 0 ? 0 : 3;
}

function refuseDirection({ promotions }: Config, { from, to }: Direction): void {
  if (promotions === undefined || promotions.allowed.some((one) => one.from === from && one.to === to)) return;
  const allowed = promotions.allowed.map((one) => `${one.from} → ${one.to}`);
  const words = `${placeText(promotions.place)} does not allow promoting from ${quoted(from)} to ${quoted(to)}.`;
  throw new FlagwrightError('refused', words, {
    remedy: allowed.length === 0 ? 'It allows no direction.' : `It allows ${listed(allowed, 'and')}.`,
  });
}

/** Parts are separated by spaces or commas. */
function parseParts(only: readonly string[]): readonly EditedPart[] {
  const names = only.flatMap((text) => text.split(',')).map((text) => text.trim());
  return names.map((name) => {
    const part = PARTS.find((known) => known === name);
    if (part !== undefined) return part;
    throw new FlagwrightError('usage', `--only: ${quoted(name)} is not a part of a flag.`, {
      remedy: didYouMean(nearest(name, PARTS), `The parts are ${PARTS.join(', ')}.`),
    });
  });
}
