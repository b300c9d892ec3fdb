/** `flagwright refs`: where code reads flags, and which flags no code reads; `refs export` also writes that for another repository. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { FlagwrightError, systemCode } from '../../base/errors.ts';
import { tryParseJson } from '../../base/json-text.ts';
import { isJsonArray, isJsonObject, memberOf, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { Config } from '../../config/config.ts';
import { matchKeys } from '../../core/engine/scope.ts';
import { typeFlags } from '../../code/generate/typed-flag.ts';
import { findRepositoryName } from '../../loop/git/forge.ts';
import { resolveName } from '../../loop/git/refs.ts';
import { listing } from '../../posthog/live-selection.ts';
import { readLiveState } from '../../posthog/reading/live-state.ts';
import { writeReferences } from '../../code/references/document.ts';
import { findStandings, judgeFlags, type FlagStanding } from '../../code/references/staleness.ts';
import type { KnownCode } from '../../code/references/use.ts';
import { escapeLine, quoteShort } from '../../report/escape.ts';
import { jsonText } from '../../report/formats/json/seal.ts';
import { withCheckout, type Checkout } from '../applied/open-checkout.ts';
import { knowCode } from './know-code.ts';
import type { ExitCode } from '../line/exit.ts';
import { checkLiveTargets } from '../project/check-targets.ts';
import { loadConfiguration } from '../project/load-project.ts';
import { withProjects } from '../project/open-project.ts';
import { chooseProjects, readProjects } from '../project/resolve-projects.ts';
import { writeDocument } from '../session/files.ts';
import type { Session } from '../session/session.ts';

interface RefsOptions {
  readonly action?: 'export';
  readonly commit?: string;
  readonly target?: readonly string[];
  readonly live?: boolean;
  readonly check?: boolean;
  /** A file of further keys. */
  readonly keys?: string;
  readonly out?: string;
  readonly repository?: string;
}

/** Exits with 2 for `--check` if code reads a flag that does not exist. */
export async function refs(session: Session, options: RefsOptions): Promise<ExitCode> {
  refuseOthers(options);
  const config = await loadConfiguration(session, { offline: options.live !== true });
  const { standings, accessors, projects } = await findFlags(session, config, options);
  const keys = standings.map(({ key }) => key);
  if (options.target !== undefined) checkLiveTargets(options.target, keys, { project: projects });
  const { code, top } = await withCheckout(session, config, async (checkout) => {
    const passOver = [options.keys, options.out].filter((file) => file !== undefined);
    const search = { keys, accessors, passOver, ...defined({ commit: options.commit }) };
    const found = await knowCode({ session, config, checkout }, search);
    if (options.action === 'export') await exportReferences(session, { checkout, code: found.code, options });
    return found;
  });
  session.places.root = top;
  const isWanted = options.target === undefined ? () => true : matchKeys(options.target);
  const wanted = standings.filter(({ key }) => isWanted(key)).map((flag) => fromTop(flag, config, top));
  const flags = judgeFlags(wanted, code);
  await session.publish({ kind: 'refs', code, flags, listed: options.target !== undefined });
  if (options.action === 'export') await session.note(`References written to ${escapeLine(options.out ?? '')}\n`);
  if (options.check !== true) return 0;
  // Code reads what is not there: a deleted or renamed flag, or a key that nobody declares.
  const isGone = flags.some(({ standing, use }) => ['deleted', 'renamed'].includes(standing) && use.verdict === 'read');
  const known = new Set(code.repositories[0]?.code.keys);
  const isUnknown = code.repositories.some((one) => one.code.unknownReads.some(({ key }) => !known.has(key)));
  return isGone || isUnknown ? 2 : 0;
}

function refuseOthers({ action, out, repository, check, target }: RefsOptions): void {
  const isExport = action === 'export';
  const given = Object.entries(isExport ? { check, target } : { out, repository });
  const wrong = given.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`])).join(' and ');
  if (wrong !== '')
    throw new FlagwrightError('usage', isExport ? `refs export has no ${wrong}.` : `${wrong} needs: refs export.`);
  if (isExport && out === undefined) {
    throw new FlagwrightError('usage', 'refs export needs a file to write.', { remedy: 'Name it with --out FILE.' });
  }
}

async function findFlags(session: Session, config: Config, options: RefsOptions) {
  const further = options.keys === undefined ? [] : await readKeys(session, options.keys);
  const chosen = await chooseProjects(session, config);
  const mayLack = further.length > 0 || options.live === true;
  const { projects } = await readProjects(session, config, chosen).catch((error: unknown) => {
    const { diagnostics } = error instanceof FlagwrightError ? error : { diagnostics: [] };
    const hasNone = diagnostics.length > 0 && diagnostics.every(({ code }) => code === 'manifests-none');
    // A repository of code has no manifests, and gets the keys elsewhere.
    if (mayLack && hasNone) return { projects: [] };
    throw error;
  });
  const configs = chosen.map((one) => projects.find(({ project }) => project.name === one.name)?.project ?? one);
  const lives =
    options.live === true
      ? await withProjects(session, configs, (opened) =>
          Promise.all(opened.map(({ client }) => readLiveState(client, { ...listing([]), flags: {} }))),
        )
      : [];
  const standings = findStandings(
    projects.map(({ resolution }) => resolution.desired),
    [...lives.flatMap(({ flags }) => flags.map(({ key }) => key)), ...further],
  );
  const typed = typeFlags(projects.map(({ project: { name }, resolution: { desired } }) => ({ name, desired })));
  return { standings, accessors: typed.map(({ key }) => key), projects: chosen.map(({ name }) => name).join(', ') };
}

async function exportReferences(
  session: Session,
  { checkout, code, options }: { readonly checkout: Checkout; readonly code: KnownCode; readonly options: RefsOptions },
): Promise<void> {
  const opened = await checkout.opened;
  const repository = opened.kind === 'open' ? opened.repository : undefined;
  const name = options.repository ?? (repository && (await findRepositoryName(repository)));
  if (name === undefined) {
    throw new FlagwrightError('usage', 'The name of this repository is not known: git has no address of a remote.', {
      remedy: 'Name it with --repository NAME, as `refs.sources` of the other repository does.',
    });
  }
  const [own] = code.repositories;
  if (own === undefined) throw new FlagwrightError('internal', 'The search has no repository.');
  const commit = own.commit ?? (repository && (await resolveName(repository, 'HEAD')));
  const at = new Date(session.context.now()).toISOString();
  const document = writeReferences({ name, at, code: own.code, ...defined({ commit }) });
  await writeDocument(session, options.out ?? '', { text: jsonText(document) });
}

/** Places in manifests are relative to the configuration, those in code to the top of the repository. */
export function fromTop<Flag extends Pick<FlagStanding, 'place'>>(flag: Flag, { root }: Config, top: string): Flag {
  if (flag.place === undefined || root === top) return flag;
  const file = path.relative(top, path.join(root, flag.place.file)).split(path.sep).join('/');
  return { ...flag, place: { ...flag.place, file } };
}

/** @throws {FlagwrightError} `file` if it cannot be read, or has no key. */
export async function readKeys({ context }: Session, file: string): Promise<readonly string[]> {
  const text = await readFile(path.resolve(context.cwd, file), 'utf8').catch((error: unknown) => {
    throw new FlagwrightError('file', `${quoteShort(file)} cannot be read: ${systemCode(error)}.`);
  });
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const keys = /^\s*[[{]/.test(text) ? keysOf(tryParseJson(text)) : lines.filter((line) => line !== '');
  if (keys.length > 0) return keys;
  throw new FlagwrightError('file', `${quoteShort(file)} has no keys of flags.`, {
    remedy:
      'Write one key on each line, or what `flagwright refs --format json` or `flagwright flags list --format json` prints.',
  });
}

/** A list of keys or of flags, or an object that has one. */
function keysOf(value: JsonValue | undefined): readonly string[] {
  if (value === undefined) return [];
  if (isJsonObject(value)) return keysOf(value['flags'] ?? value['results']);
  if (!isJsonArray(value)) return [];
  return value.flatMap((element) => {
    const key = isJsonObject(element) ? memberOf(element, 'key') : element;
    return typeof key === 'string' ? [key] : [];
  });
}
