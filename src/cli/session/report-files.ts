/** Writes the files of `--report`, each in its own format, beside the document of the run. */

import { FlagwrightError } from '../../base/errors.ts';
import { formatsOf, render, RENDERERS } from '../../report/formats/render.ts';
import type { Report } from '../../report/report.ts';
import type { ReportFile } from '../line/report-option.ts';
import { writeDocument } from './files.ts';
import type { SessionParts } from './session-parts.ts';
import { viewOfFile } from './views.ts';

export interface ReportFiles {
  /** Writes each file whose format shows the report. Returns the failures of files that cannot be written. */
  write(report: Report): Promise<readonly FlagwrightError[]>;
}

export function createReportFiles(parts: SessionParts): ReportFiles {
  const written = new Set<string>();
  return {
    write: async (report) => {
      const failures: FlagwrightError[] = [];
      for (const one of chooseFiles(parts, report, written)) {
        const failure = await writeOne(parts, one, report);
        if (failure === undefined) written.add(one.file);
        else failures.push(failure);
      }
      return failures;
    },
  };
}

/** A failure after the report is told on stderr: the file keeps what the run did. */
function chooseFiles({ options }: SessionParts, { kind }: Report, written: ReadonlySet<string>): readonly ReportFile[] {
  const { report: files = [] } = options;
  if (files.length === 0) return [];
  if (kind !== 'failure') return files;
  const able = formatsOf(['failure']);
  return files.filter(({ format, file }) => able.includes(format) && !written.has(file));
}

async function writeOne(
  parts: SessionParts,
  { format, file }: ReportFile,
  report: Report,
): Promise<FlagwrightError | undefined> {
  const rendered = await render(report, format, viewOfFile(parts));
  if (typeof rendered !== 'string') throw new FlagwrightError('internal', 'A file of --report is rendered as a whole.');
  try {
    await writeDocument(parts, file, { text: RENDERERS[format].seal(parts.secrets.redact(rendered)) });
    return undefined;
  } catch (error) {
    if (!(error instanceof FlagwrightError)) throw error;
    return error;
  }
}
