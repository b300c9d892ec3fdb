import { describe, expect, test } from 'vitest';
import { allCommands } from '../../../src/cli/commands/all-commands.ts';
import { parseCommandLine } from '../../../src/cli/line/command-line.ts';

const KNOWN = await allCommands(['flags', 'cohorts']);

describe('command line', () => {
  test('a line that is wrong is refused with what is wrong and what to write', () => {
    const lines = [
      ...['plna', 'help plna', 'flags lst', 'nope x', 'flags', '-q'],
      ...[
        'plan --detailed-exit',
        'plan --prun',
        'apply --allow-',
        'plan --xyz',
        'flags list --lim 3',
        'plan --pro=x',
        'plan -f --pru',
        'plan -x',
      ],
      ...['plan --concurrency 0', 'plan --concurrency 101', 'plan --concurrency 1.5', 'plan --deadline 5'],
      ...[
        'plan --format xml',
        'init -f sarif',
        'serve --rate-limit 480',
        'serve --rate-limit 0/m',
        'serve --port 70000',
      ],
      ...['apply a b', 'plan a', 'flags list a', 'flags get', 'cohorts get x', 'refs search-v2', 'generate'],
      ...['show plan.json -p staging', '--config x.yaml init', 'validate --concurrency 8', 'history --deadline 5m'],
      ...[
        'plan --markdown-limit 10000',
        'plan -o a --report json=a',
        'show a --report json=./a',
        'plan -c a --report json=a',
      ],
    ];
    const told = lines.map((line) => {
      const parsed = parseCommandLine(line.split(' '), KNOWN);
      if (parsed.kind !== 'wrong') return `${line}: ${parsed.kind}`;
      const { code, message, remedy } = parsed.error;
      expect(code).toBe('usage');
      return `${line}: ${message}\n    ${remedy}`;
    });
    expect(told.join('\n')).toMatchInlineSnapshot(`
      "plna: unknown command 'plna' (Did you mean plan?)
          See flagwright --help.
      help plna: unknown command 'plna' (Did you mean plan?)
          See flagwright --help.
      flags lst: unknown command 'lst' (Did you mean list?)
          See flagwright flags --help.
      nope x: unknown command 'nope'
          See flagwright --help.
      flags: A command is missing.
          flagwright flags --help lists them.
      -q: A command is missing.
          flagwright --help lists them.
      plan --detailed-exit: unknown option '--detailed-exit' (Did you mean --detailed-exitcode?)
          See flagwright plan --help.
      plan --prun: unknown option '--prun' (Did you mean --prune?)
          See flagwright plan --help.
      apply --allow-: unknown option '--allow-' (Did you mean --allow-deletes or --allow-updates or --allow-disables or --allow-protected or --allow-risky?)
          See flagwright apply --help.
      plan --xyz: unknown option '--xyz'
          See flagwright plan --help.
      flags list --lim 3: unknown option '--lim' (Did you mean --limit?)
          See flagwright flags list --help.
      plan --pro=x: unknown option '--pro=x' (Did you mean --project?)
          See flagwright plan --help.
      plan -f --pru: option '-f, --format <format>' argument '--pru' is invalid. Allowed choices are text, json, table, jsonl, csv, markdown, html, github, gitlab, sarif, junit, openfeature, message, slack, teams.
          See flagwright --help.
      plan -x: unknown option '-x'
          See flagwright plan --help.
      plan --concurrency 0: option '--concurrency <n>' argument '0' is invalid. It must be a whole number from 1 to 100.
          See flagwright --help.
      plan --concurrency 101: option '--concurrency <n>' argument '101' is invalid. It must be a whole number from 1 to 100.
          See flagwright --help.
      plan --concurrency 1.5: option '--concurrency <n>' argument '1.5' is invalid. It must be a whole number from 1 to 100.
          See flagwright --help.
      plan --deadline 5: option '--deadline <duration>' argument '5' is invalid. It must be a duration such as 90s, 5m or 1h30m.
          See flagwright --help.
      plan --format xml: option '-f, --format <format>' argument 'xml' is invalid. Allowed choices are text, json, table, jsonl, csv, markdown, html, github, gitlab, sarif, junit, openfeature, message, slack, teams.
          See flagwright --help.
      init -f sarif: init has no --format sarif; use text or json.
          See flagwright init --help.
      serve --rate-limit 480: option '--rate-limit <n/unit>' argument '480' is invalid. It must be a number of requests per second, minute or hour, such as 480/m.
          See flagwright serve --help.
      serve --rate-limit 0/m: option '--rate-limit <n/unit>' argument '0/m' is invalid. It must be a number of requests per second, minute or hour, such as 480/m.
          See flagwright serve --help.
      serve --port 70000: option '--port <port>' argument '70000' is invalid. It must be a whole number from 0 to 65535.
          See flagwright serve --help.
      apply a b: too many arguments for 'apply'. Expected 1 argument but got 2.
          See flagwright apply --help.
      plan a: too many arguments for 'plan'. Expected 0 arguments but got 1.
          A project is named by -p PROJECT, a flag by --target KEY. See flagwright plan --help.
      flags list a: too many arguments for 'list'. Expected 0 arguments but got 1.
          A project is named by -p PROJECT. See flagwright flags list --help.
      flags get: missing required argument 'flag'
          See flagwright flags get --help.
      cohorts get x: command-argument value 'x' is invalid for argument 'id'. It must be a whole number from 0 up.
          See flagwright cohorts get --help.
      refs search-v2: command-argument value 'search-v2' is invalid for argument 'action'. Allowed choices are export.
          For one flag: flagwright refs --target search-v2
      generate: <language>, --out <file> and --sdk <sdk> are missing.
          See flagwright generate --help.
      show plan.json -p staging: show does not use --project; remove it.
          See flagwright show --help.
      --config x.yaml init: init does not use --config; remove it.
          See flagwright init --help.
      validate --concurrency 8: validate does not use --concurrency; remove it.
          See flagwright validate --help.
      history --deadline 5m: history does not use --deadline; remove it.
          See flagwright history --help.
      plan --markdown-limit 10000: --markdown-limit has no document; add --format markdown or --report markdown=FILE.
          See flagwright plan --help.
      plan -o a --report json=a: --output and --report both write a; name two files.
          See flagwright plan --help.
      show a --report json=./a: --report would replace ./a, which the command line names too.
          See flagwright show --help.
      plan -c a --report json=a: --report would replace a, which the command line names too.
          See flagwright plan --help."
    `);
  });

  test.each([
    [['plan', '--nope', '--format', 'json'], 'json'],
    [['plan', '--nope', '--format=json'], 'json'],
    [['-f', 'json', 'nope'], 'json'],
    [['plan', '--nope'], 'text'],
  ])('%j is reported as %s', (argv, format) => {
    expect(parseCommandLine(argv, KNOWN)).toMatchObject({ kind: 'wrong', options: { format } });
  });

  test.each([
    [['-p', 'production', 'plan'], { project: 'production' }],
    [['plan', '-p', 'production', '--no-color'], { project: 'production', color: false }],
    [['init', '-p', 'staging'], { project: 'staging' }],
    [['validate', '--deadline', '5m'], { deadline: 300_000 }],
    [['serve', '-p', 'staging', '--deadline', '5m'], { project: 'staging', deadline: 300_000 }],
    [['plan', '--deadline', '1h30m'], { deadline: 5_400_000, concurrency: 8, format: 'text' }],
    [['drift', '-f', 'json', '-o', 'x.json', '-q'], { format: 'json', output: 'x.json', quiet: true }],
  ])('%j sets the options of every command', (argv, options) => {
    expect(parseCommandLine(argv, KNOWN)).toMatchObject({ kind: 'run', options, run: expect.any(Function) as unknown });
  });

  test.each([
    ['plan', []],
    ['validate', ['--concurrency']],
    ['show', ['--project', '--config', '--concurrency', '--deadline']],
    ['init', ['--config', '--concurrency', '--deadline']],
  ])('the help of %s omits exactly the options that it does not use', (name, omitted) => {
    const parsed = parseCommandLine([name, '--help'], KNOWN);
    const shown = (option: string): boolean => parsed.kind === 'print' && parsed.text.includes(` ${option} `);
    const options = ['--project', '--config', '--format', '--output', '--concurrency', '--deadline'];
    expect(options.filter((option) => !shown(option))).toEqual(omitted);
    expect(['--quiet', '--verbose', '--no-color'].filter(shown)).toHaveLength(3);
  });

  test.each([[[]], [['--help']], [['help']], [['plan', '--help']], [['help', 'plan']], [['--version']]])(
    '%j prints',
    (argv) => {
      expect(parseCommandLine(argv, KNOWN)).toMatchObject({
        kind: 'print',
        text: expect.stringMatching(/\n$/) as string,
      });
    },
  );

  test.each([
    ['xml=a', 'It must begin with a format, as in markdown=FILE: text, json'],
    ['markdown', 'It must name a file, as in markdown=FILE. stdout is for --format.'],
    ['markdown=', 'It must name a file, as in markdown=FILE. stdout is for --format.'],
    ['markdown=-', 'It must name a file, as in markdown=FILE. stdout is for --format.'],
  ])('--report %s is refused, since a report in a file needs a format and a name', (report, words) => {
    const parsed = parseCommandLine(['plan', '--report', report], KNOWN);
    expect(parsed).toMatchObject({ kind: 'wrong', error: { code: 'usage' } });
    if (parsed.kind === 'wrong') expect(parsed.error.message).toContain(words);
  });

  test('several reports go to several files, whose names may have an equals sign', () => {
    expect(parseCommandLine(['plan', '--report', 'json=a=b.json', '--report', 'markdown=c.md'], KNOWN)).toMatchObject({
      kind: 'run',
      options: {
        report: [
          { format: 'json', file: 'a=b.json' },
          { format: 'markdown', file: 'c.md' },
        ],
      },
    });
    const twice = parseCommandLine(['plan', '--report', 'json=x/../a', '--report', 'markdown=./a'], KNOWN);
    expect(twice.kind === 'wrong' && twice.error.message).toContain('Another --report writes ./a.');
  });

  test.each([
    [['plan', '-out', 'x'], "'-out' has one dash; long options have two.", 'Write --out.'],
    [['plan', '-out=x'], "'-out=x' has one dash; long options have two.", 'Write --out=x.'],
    [['plan', '-p=production'], '\'-p=production\' has "=" after a short option.', '-p production'],
  ])('%j is refused with what to write', (argv, message, remedy) => {
    const parsed = parseCommandLine(argv, KNOWN);
    expect(parsed).toMatchObject({ kind: 'wrong', error: { code: 'usage', message } });
    if (parsed.kind === 'wrong') expect(parsed.error.remedy).toContain(remedy);
  });

  test.each([
    ['diff', 'flagwright plan'],
    ['status', 'flagwright drift'],
    ['import', 'flagwright export'],
    ['pull', 'flagwright export'],
    ['push', 'flagwright apply'],
    ['deploy', 'flagwright apply'],
    ['sync', 'flagwright apply'],
    ['rollback', 'flagwright undo'],
    ['revert', 'flagwright undo'],
    ['disable', 'flagwright off KEY'],
    ['kill', 'flagwright off KEY'],
    ['list', 'flagwright flags list'],
    ['ls', 'flagwright flags list'],
    ['check', 'flagwright validate'],
    ['lint', 'flagwright validate'],
  ])('the command %s of other tools leads to `%s`', (command, meant) => {
    const parsed = parseCommandLine([command], KNOWN);
    expect(parsed.kind === 'wrong' && `${parsed.error.message} ${parsed.error.remedy}`).toContain(`\`${meant}\``);
  });

  test.each([
    ['--dry-run', '`flagwright plan`'],
    ['--auto-approve', 'Write --yes.'],
    ['--env', 'Name a project with -p PROJECT.'],
    ['--environment', 'Name a project with -p PROJECT.'],
    ['--json', 'Write -f json.'],
  ])('the option %s of other tools leads to: %s', (option, meant) => {
    const parsed = parseCommandLine(['apply', option], KNOWN);
    expect(parsed.kind === 'wrong' && `${parsed.error.message} ${parsed.error.remedy}`).toContain(meant);
  });
});

test.each([
  ['off x -yq', { quiet: true, verbose: false }],
  ['off x -qy', { quiet: true, verbose: false }],
  ['-qv plan', { quiet: true, verbose: true }],
  ['off x --reason -yq', { quiet: false, verbose: false }],
  ['off x -y -pstaging', { quiet: false, project: 'staging' }],
])('short options may be written together, and a value stays one: %s', (line, options) => {
  expect(parseCommandLine(line.split(' '), KNOWN)).toMatchObject({ kind: 'run', options });
});
