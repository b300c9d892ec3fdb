/** A report in a format. A new format is a row here; what lays out its reports is in a folder of its name, loaded when there is one. */

import { FlagwrightError } from '../../base/errors.ts';
import { parseJson, stringifyJson } from '../../base/json-text.ts';
import type { JsonObject } from '../../base/json.ts';
import { disarmLines, escapeLine } from '../escape.ts';
import { MODELED, type ModeledKind, REMARKED } from '../model/model-of.ts';
import type { Report, ReportKind, ReportOf } from '../report.ts';
import type { RecordStream, View } from '../view.ts';
import { FORMAT_VERSION, indentedJson, sealJson } from './json/seal.ts';
import { reportText } from './text/page.ts';

interface Renderer {
  /** A kind without a row cannot be shown. */
  readonly forms: { readonly [Kind in ReportKind]?: ReportForm<Kind> };
  /** Removes, as the last step, the characters that a program which reads the text would obey. */
  readonly seal: (text: string) => string;
}

type ReportForm<Kind extends ReportKind> = (report: ReportOf<Kind>, view: View) => Rendered | Promise<Rendered>;

/** A whole document, or one that is written while its records are read. */
export type Rendered = string | RecordStream;

export type Format =
  | 'text'
  | 'json'
  | 'table'
  | 'jsonl'
  | 'csv'
  | 'markdown'
  | 'html'
  | 'github'
  | 'gitlab'
  | 'sarif'
  | 'junit'
  | 'openfeature'
  | 'message'
  | 'slack'
  | 'teams';

/** Text for people. A report has one text, made from its model; answers of commands on resources are laid out as tables. */
const TEXT: Renderer & { readonly forms: Required<Renderer['forms']> } = {
  forms: {
    ...forEach(MODELED, reportText),
    // `--patch` prints only the patch.
    promote: (report, view) => report.patch ?? reportText(report, view),
    accept: (report, view) => report.patch ?? reportText(report, view),
    stale: async (report, view) =>
      report.tasks ? (await import('./markdown/code.ts')).tasksText(report) : reportText(report, view),
    service: ({ environment }) =>
      Object.entries(environment)
        .map(([name, value]) => `export ${name}=${value}\n`)
        .join(''),
    'flag-manifest': ({ manifest }) => sealJson(indentedJson(manifest)),
    catalog: async (report) => (await import('./catalog.ts')).catalogText(report),
    script: ({ text }) => text,
    records: async (report, view) => {
      const { activityText, flagsText, recordsText } = await import('./text/records.ts');
      const { layout } = report;
      return { activity: activityText, flags: flagsText, none: recordsText }[layout ?? 'none'](report, view);
    },
    record: async ({ record, layout }, view) => {
      const { flagText, recordText } = await import('./text/records.ts');
      return layout === 'flag' ? flagText(record, view) : recordText(record, view);
    },
    done: ({ text }) => `${escapeLine(text)}\n`,
  },
  seal: disarmLines,
};

const { record, done } = TEXT.forms;

const MESSAGED = ['plan', 'drift', 'result', 'nothing', 'projects', 'undo', 'failure'] as const;

/** Answers of commands on resources. */
const RESOURCES = ['records', 'record', 'done'] as const;

/** A form loads its module when it renders a report. */
export const RENDERERS: Readonly<Record<Format, Renderer>> = {
  text: TEXT,
  json: {
    forms: {
      plan: async (report) => indentedJson((await import('./json/runs.ts')).planReportDocument(report)),
      drift: async (report) => indentedJson((await import('./json/runs.ts')).planReportDocument(report)),
      result: async (report) => indentedJson((await import('./json/runs.ts')).resultDocument(report)),
      nothing: async (report) => indentedJson((await import('./json/runs.ts')).nothingDocument(report)),
      projects: async (report, view) =>
        indentedJson(
          (await import('./json/runs.ts')).projectsDocument(
            report,
            await Promise.all(
              report.projects.map(async (one) =>
                one.kind === 'held'
                  ? undefined
                  : (parseJson((await render(one.report, 'json', view)) as string) as JsonObject),
              ),
            ),
          ),
        ),
      undo: async (report) => indentedJson((await import('./json/runs.ts')).undoDocument(report)),
      run: async (report) => indentedJson((await import('./json/runs.ts')).runDocument(report)),
      history: async (report) => indentedJson((await import('./json/runs.ts')).historyDocument(report)),
      validation: async (report) => indentedJson((await import('./json/checks.ts')).validationDocument(report)),
      test: async (report) => indentedJson((await import('./json/checks.ts')).testDocument(report)),
      files: async (report) => indentedJson((await import('./json/checks.ts')).filesDocument(report)),
      export: async (report) => indentedJson((await import('./json/checks.ts')).exportDocument(report)),
      promote: async (report) => indentedJson((await import('./json/editing.ts')).promoteDocument(report)),
      parity: async (report) => indentedJson((await import('./json/runs.ts')).parityDocument(report)),
      rehearsal: async (report) => indentedJson((await import('./json/runs.ts')).rehearsalDocument(report)),
      explain: async (report) => indentedJson((await import('./json/runs.ts')).explainDocument(report)),
      accept: async (report) => indentedJson((await import('./json/editing.ts')).acceptDocument(report)),
      doctor: async (report) => indentedJson((await import('./json/checks.ts')).doctorDocument(report)),
      refs: async (report) => indentedJson((await import('./json/code.ts')).referencesDocument(report)),
      stale: async (report) => indentedJson((await import('./json/code.ts')).staleDocument(report)),
      catalog: async (report) => indentedJson((await import('./catalog.ts')).catalogDocument(report)),
      service: ({ url, projectId, environment }) =>
        indentedJson({ format_version: FORMAT_VERSION, url, project_id: projectId, environment: { ...environment } }),
      records: async ({ document, records }) => {
        if (document !== undefined) return indentedJson(document);
        const all: JsonObject[] = [];
        for await (const record of records) all.push(record);
        return indentedJson(all);
      },
      record: ({ record }) => indentedJson(record),
      done: ({ record }) => indentedJson(record),
      failure: async (report) => indentedJson((await import('./json/checks.ts')).failureDocument(report)),
    },
    seal: sealJson,
  },
  /** Lists as tables; other answers of commands on resources are as in text. */
  table: {
    forms: {
      records: async (report, view) => (await import('./text/records.ts')).recordsText(report, view),
      record,
      done,
    },
    seal: TEXT.seal,
  },
  jsonl: {
    forms: {
      records: ({ records }): RecordStream => ({ head: '', records, line: jsonLine }),
      record: ({ record }) => jsonLine(record),
      done: ({ record }) => jsonLine(record),
    },
    seal: sealJson,
  },
  csv: {
    forms: {
      parity: async (report, view) => (await import('./csv/records.ts')).parityCsv(report, view),
      refs: async (report, view) => (await import('./csv/code.ts')).referencesCsv(report, view),
      stale: async (report, view) => (await import('./csv/code.ts')).staleCsv(report, view),
      records: async (report, view) => (await import('./csv/records.ts')).csvRecords(report, view),
      record: async ({ record }, view) => (await import('./csv/records.ts')).csvOfOne(record, view),
      done: async ({ record }, view) => (await import('./csv/records.ts')).csvOfOne(record, view),
    },
    seal: disarmLines,
  },
  /** Pages in comments and summaries of CI systems: the summary and what needs attention come first, and the whole fits a limit; lists of resources are whole. */
  markdown: {
    forms: {
      ...forEach(REMARKED, markdownPage),
      accept: markdownPage,
      parity: markdownPage,
      rehearsal: markdownPage,
      doctor: markdownPage,
      stale: async (report, view) =>
        report.tasks ? (await import('./markdown/code.ts')).tasksText(report) : markdownPage(report, view),
      ...forEach(RESOURCES, async (report) => (await import('./markdown/page.ts')).recordsMarkdown(report)),
    },
    seal: disarmLines,
  },
  /** A page to forward: one file, for a browser and for paper. Only that of the catalog has a script. */
  html: {
    forms: {
      ...forEach([...REMARKED, 'parity', 'rehearsal'], htmlPage),
      catalog: async (report) => (await import('./html/catalog/page.ts')).catalogReportPage(report),
      ...forEach(RESOURCES, async (report) => (await import('./html/page.ts')).recordsPage(report)),
    },
    seal: disarmLines,
  },
  /** Workflow commands of GitHub Actions, which show remarks in the diff of a pull request. */
  github: {
    forms: listOfRemarks('annotations'),
    seal: sealCommands,
  },
  /** Code Quality reports, which show remarks in a merge request. */
  gitlab: {
    forms: listOfRemarks('codeQuality'),
    seal: sealJson,
  },
  /** SARIF 2.1.0, which code scanning services and editors show next to the lines of files. */
  sarif: { forms: listOfRemarks('sarifLog'), seal: sealJson },
  /** JUnit XML, which CI systems show as the results of tests. */
  junit: {
    forms: {
      ...forEach(REMARKED, async (report, view) => (await import('./remarks/lists.ts')).checkedXml(report, view)),
      test: async (report, view) => (await import('./remarks/lists.ts')).testXml(report, view),
      result: async (report, view) => (await import('./remarks/lists.ts')).resultXml(report, view),
    },
    seal: disarmLines,
  },
  /** The flag manifest of the OpenFeature CLI. */
  openfeature: { forms: { 'flag-manifest': ({ manifest }) => indentedJson(manifest) }, seal: sealJson },
  /** Messages to a chat: at most ten lines, the worst first. */
  message: { forms: messages('message'), seal: disarmLines },
  /** The body of an incoming webhook. */
  slack: { forms: messages('slack'), seal: sealJson },
  /** The body of a webhook of a workflow. */
  teams: { forms: messages('teams'), seal: sealJson },
};

function messages(form: 'message' | 'slack' | 'teams'): Renderer['forms'] {
  return {
    ...forEach(MESSAGED, async (report, view) =>
      (await import('./message/message.ts')).messageText(report, form, view),
    ),
    stale: async (report, view) => {
      const { staleFacts } = await import('../model/code-message.ts');
      return (await import('./message/message.ts')).messageText(staleFacts(report), form, view);
    },
  };
}

function jsonLine(record: JsonObject): string {
  return `${stringifyJson(record)}\n`;
}

async function markdownPage(report: ReportOf<ModeledKind>, view: View): Promise<string> {
  return (await import('./markdown/page.ts')).reportMarkdown(report, view);
}

async function htmlPage(report: ReportOf<ModeledKind>, view: View): Promise<string> {
  return (await import('./html/page.ts')).reportPage(report, view);
}

function forEach<Kind extends ReportKind>(
  kinds: readonly Kind[],
  form: ReportForm<Kind>,
): { readonly [One in Kind]: ReportForm<One> } {
  return Object.fromEntries(kinds.map((kind) => [kind, form])) as never;
}

function listOfRemarks(show: 'annotations' | 'codeQuality' | 'sarifLog'): Renderer['forms'] {
  return forEach(REMARKED, async (report, view) => {
    const lists = await import('./remarks/lists.ts');
    return lists[show](await lists.remarkList(report, view), view);
  });
}

/** Disarms every workflow command that is not an annotation. */
function sealCommands(text: string): string {
  const annotation = /^::(?:error|warning|notice) \w+=[^,:]*(?:,\w+=[^,:]*)*::.*$/;
  return text
    .split('\n')
    .map((line) => (annotation.test(line) ? `::${disarmLines(line.slice(2))}` : disarmLines(line)))
    .join('\n');
}

export const FORMATS = Object.keys(RENDERERS) as readonly Format[];

/** The caller applies the `seal` of the format to the text. */
export async function render(report: Report, format: Format, view: View): Promise<Rendered> {
  const form = RENDERERS[format].forms[report.kind] as ReportForm<ReportKind> | undefined;
  if (form === undefined) {
    throw new FlagwrightError('usage', `--format ${format} cannot show this report.`, {
      remedy: `Choose ${formatsOf([report.kind]).join(' or ')}.`,
    });
  }
  return form(report, view);
}

export async function renderText(report: Report, view: View): Promise<string> {
  const rendered = await render(report, 'text', view);
  if (typeof rendered !== 'string') throw new FlagwrightError('internal', 'Text is rendered as a whole.');
  return rendered;
}

export function formatsOf(kinds: readonly ReportKind[]): readonly Format[] {
  return FORMATS.filter((format) => kinds.every((kind) => RENDERERS[format].forms[kind] !== undefined));
}
