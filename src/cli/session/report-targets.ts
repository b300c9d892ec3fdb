/** Finds mistakes in the file of a report before the run begins: the report of an apply cannot be made again. */

import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { FlagwrightError, systemCode } from '../../base/errors.ts';
import { shellWord } from '../../report/escape.ts';
import type { ReportFile } from '../line/options.ts';
import { findTarget, type FileContext } from './files.ts';

export interface TargetFault {
  readonly why: string;
  readonly remedy: string;
}

/** Finds the fault of one file; `undefined` for none. */
export type FindFault = (report: ReportFile) => Promise<TargetFault | undefined>;

/** Checks names and folders only. `output`: the file of `--output`. Remembers which files it has seen. */
export function targetCheck(at: FileContext, output: string | undefined): FindFault {
  const owners = new Map<string, string>();
  const claim = async (file: string, owner: string): Promise<string | undefined> => {
    const real = await realTarget(at, file);
    const earlier = real === undefined ? undefined : owners.get(real);
    if (real !== undefined && earlier === undefined) owners.set(real, owner);
    return earlier;
  };
  return async (report) => {
    if (owners.size === 0 && output !== undefined && output !== '-') await claim(output, '--output');
    const fault = nameFault(at, report) ?? (await folderFault(at, report));
    if (fault !== undefined) return fault;
    const earlier = await claim(report.file, optionOf(report));
    return earlier === undefined ? undefined : { why: `${earlier} writes the same file`, remedy: 'Name two files.' };
  };
}

export function faultsError(faults: ReadonlyMap<ReportFile, TargetFault>): FlagwrightError {
  const found = [...faults];
  const why = found.map(([report, fault]) => `Cannot write ${optionOf(report)}: ${fault.why}.`);
  const remedies = new Set(found.map(([, { remedy }]) => remedy));
  return new FlagwrightError('usage', `${why.join(' ')} Nothing was started.`, { remedy: [...remedies].join(' ') });
}

function optionOf({ format, file }: ReportFile): string {
  return `--report ${format}=${file}`;
}

function nameFault({ context }: FileContext, { file }: ReportFile): TargetFault | undefined {
  if (/\.ya?ml$/i.test(file)) {
    return {
      why: 'no report is YAML, and a later run might read it as a manifest or a configuration',
      remedy: 'Give the file another extension.',
    };
  }
  const isInGit = path.resolve(context.cwd, file).split(path.sep).includes('.git');
  return isInGit ? { why: 'it is in a folder of git', remedy: 'Name a file outside of .git.' } : undefined;
}

async function folderFault(at: FileContext, { file }: ReportFile): Promise<TargetFault | undefined> {
  const target = path.resolve(at.context.cwd, file);
  const [folder, shown] = [target, file].map((name) => path.dirname(name)) as [string, string];
  const found = await stat(folder).catch((cause: unknown) => systemCode(cause));
  if (found === 'ENOENT') {
    return { why: `the folder ${shown} does not exist`, remedy: `Make it: mkdir -p ${shellWord(shown)}.` };
  }
  if (typeof found === 'string') return { why: `${shown}: ${found}`, remedy: ELSEWHERE };
  if (!found.isDirectory()) return { why: `${shown} is not a folder`, remedy: ELSEWHERE };
  const existing = await stat(target).catch(() => undefined);
  if (existing?.isDirectory() === true) return { why: 'it is a folder', remedy: 'Name a file in it.' };
  // A regular file is replaced, which takes a right to its folder only.
  const written = existing === undefined || existing.isFile() ? folder : target;
  const isWritable = await access(written, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!isWritable) return { why: `${written === folder ? shown : file} is not writable`, remedy: ELSEWHERE };
  return findTarget(at, file).then(
    () => undefined,
    () => ({ why: 'a symbolic link points outside its folder', remedy: ELSEWHERE }),
  );
}

const ELSEWHERE = 'Name a file in a folder that you may write to.';

/**
 * The real path of the file, whichever of its names is used; `undefined` for a device or a pipe, which several reports may be written to.
 */
async function realTarget(at: FileContext, file: string): Promise<string | undefined> {
  const { path: target, special } = await findTarget(at, file).catch(() => ({ path: '', special: true }));
  if (special) return undefined;
  const folder = await realpath(path.dirname(target)).catch(() => path.dirname(target));
  return path.join(folder, path.basename(target));
}
