/** Writes the files of `--report`, each in its own format, in addition to the document of the run. */

import { FlagwrightError } from '../../base/errors.ts';
import { formatsOf, render, RENDERERS } from '../../report/formats/render.ts';
import type { Report } from '../../report/report.ts';
import type { ReportFile } from '../line/parameters.ts';
import { writeDocument } from './files.ts';
import type { FindFault, TargetFault } from './report-targets.ts';
import type { SessionParts } from './session-parts.ts';
import { viewOfFile } from './views.ts';

export interface ReportFiles {
  /**
   * Looks for faults of the files before the run does what it reports. A file at fault is never written, not even with
   * the failure.
   * @throws {FlagwrightError} `usage` for all faults together.
   */
  check(findFault?: FindFault): Promise<void>;
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
          failures.push(error instanceof FlagwrightError ? error : bugIn(file, error));
        }
      }
      return failures;
    },
  };
}

function bugIn(file: string, error: unknown): FlagwrightError {
  const words = error instanceof Error ? error.message : String(error);
  return new FlagwrightError('internal', `Cannot write ${file}: ${words}. This is a bug in flagwright.`);
}
