/** What ARCHITECTURE.md and service/README.md say of the code, where a program can check it. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '../..');
const text = readFileSync(path.join(root, 'ARCHITECTURE.md'), 'utf8');
const sources = ['service/src', 'src'].flatMap(listFiles).filter((file) => !file.includes('generated'));

function listFiles(folder: string): string[] {
  const files = readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith('.ts')).map((file) => path.join(folder, file));
}

const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** Without the lines of comments. */
const codeOf = (file: string): string => read(file).replaceAll(/^\s*(?:\/\*|\*|\/\/).*$/gm, '');

/** Files whose code has the pattern. */
function filesWith(pattern: RegExp): string[] {
  return sources.filter((file) => pattern.test(codeOf(file)));
}

describe('service/README.md', () => {
  it('names only files that exist', () => {
    const names = [...read('service/README.md').matchAll(/`((?:src|test)\/[^`\s<>]*)`/g)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !existsSync(path.join(root, 'service', name)))).toEqual([]);
  });
});

it.each(['ARCHITECTURE.md', 'CONTRIBUTING.md'])('%s names only files that exist', (page) => {
  const folders = readdirSync(path.join(root, 'src')).concat('docs', 'service', 'src', 'test');
  const names = [...read(page).matchAll(/`([a-z]+\/[^`\s<>]*)`/g)].map(([, name = '']) => name);
  const missing = names.filter((name) => {
    if (!folders.includes(name.split('/')[0] ?? '')) return false;
    return !existsSync(path.join(root, name)) && !existsSync(path.join(root, 'src', name));
  });
  expect(missing).toEqual([]);
});

describe('ARCHITECTURE.md', () => {
  it('calls only folders pure that do no input or output', () => {
    const rows = [...text.matchAll(/^\| `(src\/[a-z]+)\/`\s*\|.*\|\s*(yes|all but `([a-z]+)\/`)?\s*\|$/gm)];
    const pure = rows.filter(([, , claim]) => claim !== undefined);
    expect(pure.length).toBeGreaterThan(4);
    const effects = pure.flatMap(([, folder = '', , except]) =>
      filesWith(/from '(?:node:(?!(?:crypto|vm)')|undici|libsql)|\b(?:process|fetch)\b[.(]/).filter(
        (file) => file.startsWith(`${folder}/`) && !(except !== undefined && file.startsWith(`${folder}/${except}/`)),
      ),
    );
    expect(effects).toEqual([]);
  });
});

describe('only the files that are named here', () => {
  it.each<[what: string, pattern: RegExp, files: readonly string[]]>([
    [
      'use the process',
      /(?<![\w'.-])process\.[a-z]|from 'node:process'/,
      [
        'src/cli/bin.ts',
        'src/cli/session/this-process.ts',
        'src/cli/session/context.ts',
        // The defaults of a call in a test.
        'src/testing/load-flags.ts',
      ],
    ],
    ['start processes', /from 'node:child_process'/, ['src/loop/git/run-git.ts']],
    [
      'connect to others',
      /import \{[^}]*\} from '(?:undici|node:(?:https|http2|tls|dgram|dns))'|[{ ](?:request|get)[ ,].* from 'node:http'|(?<![\w.])fetch\(|new WebSocket|createConnection\(/,
      [
        // A socket of this machine, which tells whether the owner of a run lives.
        'src/loop/journal/lock.ts',
        'src/posthog/client/proxies.ts',
        'src/posthog/client/transport.ts',
      ],
    ],
    [
      'read a clock',
      /Date\.now\(|new Date\(\)|performance\.(?:now|timeOrigin)/,
      [
        'src/cli/session/this-process.ts',
        'src/cli/session/session-parts.ts',
        'src/cli/session/context.ts',
        // The log of requests says how long each took.
        'service/src/http/server.ts',
        // The client's default.
        'src/posthog/client/pace.ts',
        // In a browser, to name the week that it is.
        'src/report/formats/html/catalog/browser/page.ts',
        // The default of a call in a test.
        'src/testing/load-flags.ts',
      ],
    ],
    [
      'take from chance',
      /Math\.random|random(?:UUID|Bytes|Int)\b(?!:)/,
      // Jitter of the client, by default.
      ['src/cli/session/context.ts', 'src/posthog/client/connection.ts'],
    ],
    [
      'start timers',
      /(?<!\w)set(?:Timeout|Interval)\(/,
      ['src/base/timer.ts', 'service/src/http/server.ts', 'service/src/service.ts'],
    ],
    [
      'read the sentences of others',
      /\.message\.(?:includes|match|startsWith|endsWith)\(|(?:test|exec)\((?:[\w.]*\.)?(?:message|detail)\b|\b(?:message|detail)\.(?:includes|match|startsWith)\(/,
      [
        // Of the parser of the command line.
        'src/cli/line/command-line.ts',
        // Of the commits in which flagwright itself records what was applied.
        'src/cli/applied/applied-record.ts',
        // Of Node, about a module that is missing.
        'service/src/store/libsql.ts',
        // Of the service: a refusal without a code, one of the key, and how long to wait.
        'src/posthog/client/answer.ts',
        'src/posthog/client/failure-table.ts',
        'src/report/words/outcomes.ts',
      ],
    ],
  ])('%s', (_what, pattern, files) => {
    expect([...filesWith(pattern)].sort()).toEqual([...files].sort());
  });
});

describe('a test', () => {
  const tests = ['test', 'service/test'].flatMap(listFiles).filter((file) => file.endsWith('.test.ts'));
  const isRoom = (folder: string): boolean => existsSync(path.join(root, folder)) && path.basename(folder) !== 'src';
  const across = tests.filter((file) => !isRoom(path.dirname(file.replace(/^test|(?<=^service\/)test/, 'src'))));

  it.each(across)('%s is of no room of src, so its first line says what it tests', (file) => {
    expect(read(file)).toMatch(/^\/\*\*/);
  });

  it('is in a folder of src, or in one of the folders that cross them', () => {
    const folders = new Set(
      listFiles('test')
        .filter((file) => file.endsWith('.test.ts'))
        .map((file) => file.split('/')[1]),
    );
    const known = new Set([...readdirSync(path.join(root, 'src')), ...CROSSING, 'index.test.ts']);
    expect([...folders].filter((folder) => !known.has(folder ?? ''))).toEqual([]);
  });
});

const CROSSING = ['architecture', 'ci', 'convergence', 'docs', 'examples', 'faults', 'security'];
