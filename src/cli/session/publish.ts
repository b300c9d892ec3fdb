/** Publishes a document: renders it for where it goes, redacts and escapes it, and writes it to stdout, a file, and the files of `--report`. */

import { readFileSync, statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { styleText } from 'node:util';
import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import type { Place } from '../../base/place.ts';
import { flushFolder } from '../../loop/disk.ts';
import { render, RENDERERS, formatsOf } from '../../report/formats/render.ts';
import type { Report } from '../../report/report.ts';
import {
  type RecordStream,
  PLAIN,
  type Paint,
  type Palette,
  GITHUB_COMMENT,
  GITLAB_COMMENT,
  type View,
  type RunFacts,
} from '../../report/view.ts';
import { count } from '../../report/words/amounts.ts';
import type { ReportFile } from '../line/options.ts';
import type { Context, Output } from './context.ts';
import { fileError, writeDocument, DOCUMENT_MODE, draftBeside, findTarget, checkoutAround } from './files.ts';
import type { FindFault, TargetFault } from './report-targets.ts';
import type { SessionParts } from './session-parts.ts';
import { valueAt } from '../../base/json-pointer.ts';
import { tryParseJson } from '../../base/json-text.ts';
import { memberOf } from '../../base/json.ts';

export interface Publisher {
  /**
   * Writes the requested document to stdout or `--output`, and the files of `--report`. If the file of `--output` cannot
   * be written, the document goes to stdout so that it is not lost. What cannot be written is in `outputFailures`.
   */
  publish(report: Report): Promise<void>;
  /** Writes only the files of `--report`: the document has no place on stdout. */
  publishFiles(report: Report): Promise<void>;
  /**
   * Checks the files of `--report`, by default where they are, before the run does anything.
   * @throws {FlagwrightError} `usage` for a file that cannot or must not be written.
   */
  checkFiles(findFault?: FindFault): Promise<void>;
  outputFailures(): readonly OutputFailure[];
}

interface OutputFailure {
  readonly error: FlagwrightError;
  readonly onStdout: boolean;
  readonly afterChanges: boolean;
}

type Print = (text: string) => Promise<void>;

/** `print`: writes to stderr, and first erases a line of progress there, which may be on the same terminal as stdout. */
export function createPublisher(parts: SessionParts, print: Print): Publisher {
  const { options, secrets } = parts;
  const finish = (text: string): string => RENDERERS[options.format].seal(secrets.redact(text));
  const files = createReportFiles(parts);
  const failures: OutputFailure[] = [];
  const publishFiles = async (report: Report): Promise<void> => {
    const afterChanges = reportsChanges(report);
    for (const error of await files.write(report)) failures.push({ error, onStdout: false, afterChanges });
  };
  return {
    publish: async (report) => {
      const rendered = await render(report, options.format, viewOfStdout(parts));
      if (typeof rendered !== 'string') return writeStream(parts, rendered, { finish, print });
      // Files come before stdout: a closed pipe must not lose a file.
      await publishFiles(report);
      await print('');
      const afterChanges = reportsChanges(report);
      for (const failed of await writeWhole(parts, finish(rendered))) failures.push({ ...failed, afterChanges });
    },
    publishFiles,
    checkFiles: files.check,
    outputFailures: () => failures,
  };
}

function reportsChanges(report: Report): boolean {
  if (report.kind === 'projects')
    return report.projects.some((one) => one.kind === 'ran' && reportsChanges(one.report));
  return report.kind === 'result' && report.result.outcomes.applied > 0;
}

/**
 * Returns what could not be written. If a file cannot, the document goes to stdout. No failure is thrown: the run is not over, and an apply
 * still has to record what it did.
 */
async function writeWhole(parts: SessionParts, text: string): Promise<readonly Omit<OutputFailure, 'afterChanges'>[]> {
  const { context, options } = parts;
  const { output = '-' } = options;
  try {
    await (output === '-' ? writeOut(context, text) : writeDocument(parts, output, { text }));
    return [];
  } catch (error) {
    if (!(error instanceof FlagwrightError)) throw error;
    if (output === '-') return [{ error, onStdout: false }];
    const also = await writeWhole({ ...parts, options: { ...options, output: '-' } }, text);
    return [{ error, onStdout: also.length === 0 }, ...also];
  }
}

/** @throws {FlagwrightError} `file` */
export async function writeOut({ stdout }: Pick<Context, 'stdout'>, text: string): Promise<void> {
  return stdout.write(text).catch((cause: unknown) => {
    throw fileError('write', 'to stdout', cause);
  });
}

const PIECE = 64 * 1024;

/** Writes a document too long for memory piece by piece: to stdout, or to a file that appears when it is complete. */
async function writeStream(
  parts: SessionParts,
  { head, records, line }: RecordStream,
  { finish, print }: Readonly<{ finish: (text: string) => string; print: Print }>,
): Promise<void> {
  const { output = '-' } = parts.options;
  const file = output === '-' ? undefined : await openFile(parts, output);
  let printed = 0;
  /** Yields what was read before a failure, then throws the failure. */
  async function* inPieces(): AsyncGenerator<string> {
    let piece = head;
    try {
      for await (const record of records) {
        piece += line(record);
        printed += 1;
        if (piece.length < PIECE) continue;
        yield piece;
        piece = '';
      }
    } catch (error) {
      if (printed > 0) yield piece;
      throw error;
    }
    yield piece;
  }
  try {
    for await (const piece of inPieces()) {
      await print('');
      // The writer waits for the reader.
      await (file === undefined ? writeOut(parts.context, finish(piece)) : file.write(finish(piece)));
      // A closed pipe (`| head`) stops the requests for pages.
      if (file === undefined && parts.context.stdout.isGone?.() === true) break;
    }
    await file?.commit();
  } catch (error) {
    await file?.discard();
    // Text on stdout stays.
    if (file === undefined && printed > 0) {
      await print(`Incomplete: ${count(printed, 'entry', 'entries')} printed before the failure.\n`);
    }
    throw error;
  }
}

async function openFile(parts: SessionParts, file: string) {
  const failed = (cause: unknown): never => {
    throw fileError('write', file, cause);
  };
  const target = await findTarget(parts, file);
  const written = target.special ? target.path : draftBeside(parts, target.path);
  const handle = await open(written, target.special ? 'w' : 'wx', DOCUMENT_MODE).catch(failed);
  return {
    write: async (text: string): Promise<void> => handle.writeFile(text).catch(failed),
    commit: async (): Promise<void> => {
      if (!target.special) await handle.sync().catch(failed);
      await handle.close().catch(failed);
      if (target.special) return;
      await rename(written, target.path).catch(failed);
      await flushFolder(path.dirname(target.path));
    },
    /** Removes an unfinished file. */
    discard: async (): Promise<void> => {
      await handle.close().catch(() => undefined);
      if (!target.special) await rm(written, { force: true });
    },
  };
}

/** The view of stdout if `--output` sends the document elsewhere. */
export function viewOfStdout(parts: SessionParts): View {
  const { context, options } = parts;
  const { stdout } = context;
  const terminal = stdout.isTerminal && (options.output === undefined || options.output === '-');
  return {
    ...viewOfFile(parts),
    // A file may be read by a program, so it gets no colors.
    palette: choosePalette(stdout, context.env, options.color && options.output === undefined),
    terminal,
    ...defined({ width: terminal ? columnsOf(stdout, context.env) : undefined }),
  };
}

/** COLUMNS is the wish of a user: a shell does not export the one that it sets. */
export function columnsOf({ isTerminal, columns }: Output, env: Context['env']): number | undefined {
  return isTerminal ? Number(/^[1-9]\d{0,5}$/.exec(env['COLUMNS'] ?? '')?.[0] ?? columns) : undefined;
}

export function viewOfFile({ context, options, places }: SessionParts): View {
  return {
    palette: PLAIN,
    verbose: options.verbose,
    terminal: false,
    sourceLine: sourceLines(places.root),
    repositoryFile: namesInRepository(context, places),
    run: findRunFacts(context),
    // GitLab sets `GITLAB_CI`; elsewhere the smaller limit of GitHub is safe.
    documentLimit: options.markdownLimit ?? (context.env['GITLAB_CI'] === undefined ? GITHUB_COMMENT : GITLAB_COMMENT),
  };
}

/** Names relative to the top of the checkout, as on GitHub and GitLab, or to the working directory without a checkout. */
function namesInRepository(
  { env, cwd }: SessionParts['context'],
  places: SessionParts['places'],
): (file: string) => string {
  const tops = new Map<string, string>();
  return (file) => {
    const { root } = places;
    const top =
      tops.get(root) ?? env['GITHUB_WORKSPACE'] ?? env['CI_PROJECT_DIR'] ?? checkoutAround(root) ?? path.resolve(cwd);
    tops.set(root, top);
    return path.relative(top, path.resolve(root, file)).split(path.sep).join('/');
  };
}

const LARGEST_FILE = 16 * 1024 * 1024;

/** Finds lines of files below `root`; a file that cannot be read has none. */
export function sourceLines(root: string): (place: Place) => string | undefined {
  const files = new Map<string, readonly string[]>();
  return ({ file, line }) => {
    const lines = files.get(file) ?? readLines(path.resolve(root, file));
    files.set(file, lines);
    return lines[line - 1];
  };
}

function readLines(file: string): readonly string[] {
  try {
    const found = statSync(file);
    if (!found.isFile() || found.size > LARGEST_FILE) return [];
    return readFileSync(file, 'utf8').split(/\r\n|\r|\n/);
  } catch {
    return [];
  }
}

/** Decided by `--no-color`, then NO_COLOR, then FORCE_COLOR, then whether the output is a terminal with colors. */
export function choosePalette(output: Output, env: Context['env'], color: boolean): Palette {
  if (!color || isSet(env['NO_COLOR'])) return PLAIN;
  const wantsColor = isSet(env['FORCE_COLOR'])
    ? env['FORCE_COLOR'] !== '0' && env['FORCE_COLOR'] !== 'false'
    : isRewritable(output, env);
  return wantsColor ? ANSI : PLAIN;
}

/** A dumb terminal understands no escape codes. */
export function isRewritable({ isTerminal }: Output, env: Context['env']): boolean {
  return isTerminal && env['TERM'] !== 'dumb';
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

const ANSI: Palette = {
  add: paint('green'),
  change: paint('yellow'),
  remove: paint('red'),
  strong: paint('bold'),
  dim: paint('dim'),
  warning: paint('yellow'),
  error: paint('red'),
};

function paint(format: 'green' | 'yellow' | 'red' | 'bold' | 'dim'): Paint {
  // Decided above; `styleText` itself would check stdout for every output.
  return (text) => styleText(format, text, { validateStream: false });
}

interface ReportFiles {
  /** A file at fault is never written, not even with the failure. */
  readonly check: Publisher['checkFiles'];
  /** Writes each file whose format shows the report. Returns the failures of files that cannot be written. */
  write(report: Report): Promise<readonly FlagwrightError[]>;
}

export function createReportFiles(parts: SessionParts): ReportFiles {
  const written = new Set<string>();
  const barred = new Set<string>();
  const { report: files = [], output } = parts.options;
  return {
    check: async (given) => {
      if (files.length === 0) return;
      const { faultsError, targetCheck } = await import('./report-targets.ts');
      const findFault = given ?? targetCheck(parts, output);
      const faults = new Map<ReportFile, TargetFault>();
      for (const one of files) {
        const fault = await findFault(one);
        if (fault !== undefined) faults.set(one, fault);
      }
      for (const { file } of faults.keys()) barred.add(file);
      if (faults.size > 0) throw faultsError(faults);
    },
    write: async (report) => {
      const failures: FlagwrightError[] = [];
      // A failure after the report goes to stderr: the file keeps what the run did.
      const isFailure = report.kind === 'failure';
      const able = isFailure && files.length > 0 ? formatsOf(['failure']) : [];
      for (const { format, file } of files) {
        if (barred.has(file) || (isFailure && (!able.includes(format) || written.has(file)))) continue;
        try {
          const rendered = await render(report, format, viewOfFile(parts));
          if (typeof rendered !== 'string') throw new Error('it is not rendered as a whole');
          await writeDocument(parts, file, { text: RENDERERS[format].seal(parts.secrets.redact(rendered)) });
          written.add(file);
        } catch (error) {
          // It concerns this file only: the other documents say what the run did.
          const words = error instanceof Error ? error.message : String(error);
          const bug = `Cannot write ${file}: ${words}. This is a bug in flagwright.`;
          failures.push(error instanceof FlagwrightError ? error : new FlagwrightError('internal', bug));
        }
      }
      return failures;
    },
  };
}

type Variable = (name: string) => string | undefined;

export function findRunFacts({ env, cwd, user }: Pick<Context, 'env' | 'cwd' | 'user'>): RunFacts {
  const variable: Variable = (name) => memberOf(env, name) || undefined;
  if (variable('GITHUB_ACTIONS') !== undefined) return factsOfGitHub(variable, cwd);
  if (variable('GITLAB_CI') !== undefined) return factsOfGitLab(variable);
  return defined({ actor: user?.name });
}

function factsOfGitHub(variable: Variable, cwd: string): RunFacts {
  const repository = address(variable('GITHUB_SERVER_URL'), variable('GITHUB_REPOSITORY'));
  // A merge names its request in the first line of its commit, of which only the number is taken.
  const subject = commitOf(variable('GITHUB_EVENT_PATH'), cwd).split('\n', 1)[0] ?? '';
  const merged = /\(#(\d{1,9})\)$/.exec(subject) ?? /^Merge pull request #(\d{1,9}) /.exec(subject);
  const number = /^refs\/pull\/(\d{1,9})\//.exec(variable('GITHUB_REF') ?? '') ?? merged;
  return facts({
    actor: variable('GITHUB_TRIGGERING_ACTOR') ?? variable('GITHUB_ACTOR'),
    page: address(repository, 'actions/runs', variable('GITHUB_RUN_ID')),
    request: [`Pull request #${number?.[1]}`, address(repository, 'pull', number?.[1])],
  });
}

function commitOf(file: string | undefined, cwd: string): string {
  try {
    const found = path.resolve(cwd, file ?? '');
    if (file === undefined || statSync(found).size > LARGEST_EVENT) return '';
    const text = valueAt(tryParseJson(readFileSync(found, 'utf8')) ?? null, '/head_commit/message');
    return typeof text === 'string' ? text : '';
  } catch {
    return '';
  }
}

const LARGEST_EVENT = 26 * 1024 * 1024;

function factsOfGitLab(variable: Variable): RunFacts {
  const merged = /^See merge request \S+!(\d{1,9})\s*$/m.exec(variable('CI_COMMIT_MESSAGE') ?? '')?.[1];
  const number = variable('CI_MERGE_REQUEST_IID') ?? merged;
  const project = variable('CI_MERGE_REQUEST_PROJECT_URL') ?? variable('CI_PROJECT_URL');
  return facts({
    actor: variable('GITLAB_USER_LOGIN'),
    page: address(variable('CI_JOB_URL')),
    request: [`Merge request !${number}`, address(project, '-/merge_requests', number)],
  });
}

function facts(found: {
  readonly actor: string | undefined;
  readonly page: string | undefined;
  readonly request: readonly [name: string, url: string | undefined];
}): RunFacts {
  const [name, url] = found.request;
  return defined({ actor: found.actor, page: found.page, request: url === undefined ? undefined : { name, url } });
}

/** `undefined` unless all parts are known and make an address of the web that a chat shows as one link. */
function address(...parts: readonly (string | undefined)[]): string | undefined {
  if (parts.includes(undefined)) return undefined;
  const text = parts.join('/');
  if (!/^https?:\/\/[\w.:/~-]+$/.test(text)) return undefined;
  return URL.canParse(text) ? text : undefined;
}
