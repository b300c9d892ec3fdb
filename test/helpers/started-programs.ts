/**
 * Every place where git can be told to start a program, planted in a repository. Each program leaves a file with the name of its
 * place behind. The proof that a place works is a call of git that starts it.
 */

import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { createBare, git, GIT_ENV } from './repository.ts';
import { createWorkspace, workspaceIn } from './workspace.ts';

export interface Place {
  readonly name: string;
  /** In the file `config` of the folder of git. `$RUN` is a shell command, `$PROGRAM` a program, `$OTHER` another repository. */
  readonly config?: readonly (readonly [name: string, value: string])[];
  /** Programs in the folder of git, by path. */
  readonly programs?: readonly string[];
  /** Files in the folder of git. */
  readonly files?: Readonly<Record<string, string>>;
  /** A shell command in a checkout with the place that starts it. Absent: it takes a terminal or a newer git. */
  readonly proof?: string;
}

const FILE = 'git -c protocol.file.allow=always -c "remote.origin.url=file://$PWD"';
const EVIL = { 'info/attributes': '*.yaml filter=evil diff=evil\n*.process filter=process\n*.shown diff=shown\n' };

/** Started while git reads or writes the repository itself. */
export const LOCAL_PLACES: readonly Place[] = [
  { name: 'fsmonitor', config: [['core.fsmonitor', '$RUN; false']], proof: 'git status' },
  { name: 'pager', config: [['core.pager', '$RUN']] },
  { name: 'editor', config: [['core.editor', '$RUN; false']], proof: 'git config --edit' },
  {
    name: 'askPass',
    config: [['core.askPass', '$PROGRAM']],
    proof: 'printf "protocol=https\\nhost=ask.example\\n\\n" | git -c credential.helper= credential fill',
  },
  { name: 'hooks', programs: ['hooks/reference-transaction'], proof: 'git update-ref refs/x HEAD' },
  {
    name: 'hook-of-config',
    config: [
      ['hook.evil.command', '$RUN'],
      ['hook.evil.event', 'reference-transaction'],
    ],
  },
  {
    name: 'filter-clean',
    config: [['filter.evil.clean', '$RUN; cat']],
    files: EVIL,
    proof: 'echo x | git hash-object --path flags/main.yaml --stdin',
  },
  {
    name: 'filter-smudge',
    config: [['filter.evil.smudge', '$RUN; cat']],
    files: EVIL,
    proof: 'git cat-file --filters HEAD:flags/main.yaml',
  },
  {
    name: 'filter-process',
    config: [['filter.process.process', '$RUN; false']],
    files: EVIL,
    proof: 'echo x | git hash-object --path x.process --stdin',
  },
  {
    name: 'textconv',
    config: [['diff.evil.textconv', '$RUN; cat']],
    files: EVIL,
    proof: 'git cat-file --textconv HEAD:flags/main.yaml',
  },
  {
    name: 'diff-command',
    config: [['diff.shown.command', '$RUN']],
    files: EVIL,
    proof: 'touch x.shown; git add -N x.shown; git diff --ext-diff',
  },
  { name: 'diff-external', config: [['diff.external', '$RUN']], proof: 'git show --ext-diff HEAD' },
  {
    name: 'alias',
    config: [
      ['alias.planted', '!$RUN'],
      ['alias.blame', '!$RUN'],
    ],
    proof: 'git planted',
  },
  {
    name: 'gpg',
    config: [
      ['gpg.program', '$PROGRAM'],
      ['push.gpgSign', 'true'],
      ['log.showSignature', 'true'],
    ],
    proof: 'git -c user.name=a -c user.email=b commit-tree -S -m x HEAD^{tree}',
  },
  {
    name: 'include',
    config: [['include.path', 'more']],
    files: { more: '[core]\n\tfsmonitor = "$RUN; false"\n' },
    proof: 'git status',
  },
  {
    name: 'alternates',
    config: [['core.alternateRefsCommand', '$RUN #']],
    files: { 'objects/info/alternates': '$OTHER/objects\n' },
    proof: `${FILE} fetch origin`,
  },
  {
    name: 'include-if',
    config: [['includeIf.gitdir:**.path', 'more']],
    files: { more: '[core]\n\tfsmonitor = "$RUN; false"\n' },
    proof: 'git status',
  },
  {
    name: 'maintenance',
    config: [
      ['gc.auto', '1'],
      ['maintenance.auto', 'true'],
    ],
    programs: ['hooks/pre-auto-gc'],
  },
];

/** Started when git reaches a remote, also by a call that needs an object which is missing. */
export const REMOTE_PLACES: readonly Place[] = [
  {
    name: 'ssh-command',
    config: [
      ['core.sshCommand', '$RUN; false'],
      ['remote.ssh.url', 'ssh://host.example/x'],
    ],
    proof: 'git ls-remote ssh',
  },
  {
    name: 'promisor',
    config: [
      ['core.repositoryFormatVersion', '1'],
      ['extensions.partialClone', 'ssh'],
      ['core.sshCommand', '$RUN; false'],
      ['remote.ssh.url', 'ssh://host.example/x'],
      ['remote.ssh.promisor', 'true'],
    ],
    files: { 'refs/flagwright/applied/main': `${'1'.repeat(40)}\n` },
    proof: `git cat-file -p ${'1'.repeat(40)}`,
  },
  {
    name: 'credential-helper',
    config: [['credential.helper', '!$RUN; false']],
    proof: 'printf "protocol=https\\nhost=x.example\\n\\n" | git -c core.askPass=true credential fill',
  },
  {
    name: 'git-proxy',
    config: [
      ['core.gitProxy', '$PROGRAM'],
      ['remote.git.url', 'git://host.example/x'],
    ],
    proof: 'git ls-remote git',
  },
  {
    name: 'upload-pack',
    config: [['remote.origin.uploadpack', '$RUN; false #']],
    proof: `${FILE} ls-remote origin`,
  },
  {
    name: 'receive-pack',
    config: [['remote.origin.receivepack', '$RUN; false #']],
    proof: `${FILE} push origin HEAD:refs/heads/other`,
  },
  {
    name: 'remote-helper',
    config: [
      ['protocol.ext.allow', 'always'],
      ['remote.ext.url', 'ext::$PROGRAM'],
    ],
    proof: 'git ls-remote ext',
  },
  {
    name: 'remote-vcs',
    config: [
      ['protocol.ext.allow', 'always'],
      ['remote.vcs.url', '$PROGRAM'],
      ['remote.vcs.vcs', 'ext'],
    ],
    proof: 'git ls-remote vcs',
  },
  {
    name: 'instead-of',
    config: [
      ['protocol.ext.allow', 'always'],
      ['url.ext::$PROGRAM #.insteadOf', 'https://instead.example/'],
      ['remote.instead.url', 'https://instead.example/x'],
    ],
    proof: 'git ls-remote instead',
  },
];

export interface Planted {
  /** The names of the places whose programs were started since the last call. */
  readonly started: () => readonly string[];
  /** The same after the proof of a place in a checkout. */
  readonly proven: (place: Place, checkout: string) => readonly string[];
}

/** Plants the places in a folder of git. */
export function plant(places: readonly Place[], gitFolder: string): Planted {
  const { root: marks } = createWorkspace();
  const programs = createWorkspace();
  const other = createBare().root;
  const { write } = workspaceIn(gitFolder);
  const script = (name: string): string => `touch ${path.join(marks, name)}`;
  const executable = (folder: string, file: string, name: string): void => {
    workspaceIn(folder).write(file, `#!/bin/sh\n${script(name)}\n`);
    chmodSync(path.join(folder, file), 0o755);
  };
  for (const { name, config = [], programs: own = [], files = {} } of places) {
    const fill = (text: string): string =>
      text
        .replaceAll('$RUN', script(name))
        .replaceAll('$PROGRAM', path.join(programs.root, name))
        .replaceAll('$OTHER', other);
    executable(programs.root, name, name);
    for (const file of own) executable(gitFolder, file, name);
    for (const [file, text] of Object.entries(files)) write(file, fill(text));
    for (const [variable, value] of config)
      git(gitFolder, 'config', '--file', path.join(gitFolder, 'config'), '--add', fill(variable), fill(value));
  }
  const started = (): readonly string[] => {
    const names = readdirSync(marks);
    for (const name of names) rmSync(path.join(marks, name));
    return names.sort();
  };
  return {
    started,
    proven: ({ proof = 'false' }, checkout) => {
      started();
      execFileSync('bash', ['--norc', '-c', `( ${proof} ) >/dev/null 2>&1 </dev/null || true`], {
        cwd: checkout,
        env: { ...GIT_ENV, HOME: checkout, GIT_TERMINAL_PROMPT: '0' },
      });
      return started();
    },
  };
}
