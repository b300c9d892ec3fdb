import { describe, expect, test } from 'vitest';
import { knownCommands } from '../../../src/cli/commands/known-commands.ts';
import { parseCommandLine } from '../../../src/cli/line/command-line.ts';

const KNOWN = await knownCommands([]);

describe('command line', () => {
  test.each([
    [['plna'], "unknown command 'plna' (Did you mean plan?)"],
    [['plan', '--detailed-exit'], "unknown option '--detailed-exit' (Did you mean --detailed-exitcode?)"],
    [['plan', '--prun'], "unknown option '--prun' (Did you mean --prune?)"],
    [['plan', '--concurrency', '0'], 'It must be a whole number from 1 to 100.'],
    [['plan', '--deadline', '5'], 'It must be a duration such as 90s, 5m or 1h30m.'],
    [['plan', '--format', 'xml'], 'Allowed choices are text, json'],
    [['apply', 'a', 'b'], 'too many arguments'],
    [['serve', '--rate-limit', '480'], 'such as 480/m'],
    [['serve', '--port', '70000'], 'from 0 to 65535'],
    [['show', 'plan.json', '-p', 'staging'], 'show does not use --project; remove it.'],
    [['--config', 'x.yaml', 'init'], 'init does not use --config; remove it.'],
    [['validate', '--concurrency', '8'], 'validate does not use --concurrency; remove it.'],
    [['history', '--deadline', '5m'], 'history does not use --deadline; remove it.'],
    [['help', 'plna'], "unknown command 'plna' (Did you mean plan?)"],
  ])('%j is refused with a message', (argv, words) => {
    const parsed = parseCommandLine(argv, KNOWN);
    expect(parsed).toMatchObject({ kind: 'wrong', error: { code: 'usage' } });
    if (parsed.kind === 'wrong') expect(parsed.error.message).toContain(words);
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
    expect(parseCommandLine(argv, KNOWN)).toMatchObject({ kind: 'run', options });
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
    const parsed = parseCommandLine(['plan', '--report', 'json=a=b.json', '--report', 'markdown=c.md'], KNOWN);
    expect(parsed).toMatchObject({
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
    ['--env', 'A project is named by -p PROJECT.'],
    ['--environment', 'A project is named by -p PROJECT.'],
    ['--json', 'Write -f json.'],
  ])('the option %s of other tools leads to: %s', (option, meant) => {
    const parsed = parseCommandLine(['apply', option], KNOWN);
    expect(parsed.kind === 'wrong' && `${parsed.error.message} ${parsed.error.remedy}`).toContain(meant);
  });
});
