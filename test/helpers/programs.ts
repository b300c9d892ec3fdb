/** Programs that scripts start by name, and that run in this process: starting Node for each of them takes most of a test's time. */

import { createServer, type AddressInfo, type Socket } from 'node:net';
import path from 'node:path';
import { format } from 'node:util';
import { onTestFinished, vi } from 'vitest';
import { runStep } from '../../ci/run-step.mjs';
import { runCli } from './run.ts';

type Write = (text: string) => void;

/** What a program was started with. */
interface Start {
  readonly name: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const PROGRAMS: Readonly<Record<string, (start: Start, write: Write) => Promise<number>>> = {
  flagwright: async ({ args, cwd, env }, write) => {
    const { code, stdout, stderr } = await runCli(args, { cwd, env });
    write(stderr + stdout);
    return code;
  },
  'flagwright-ci': runCi,
};

/** For each program a script that stands for it. What the programs print goes to `write`. */
export async function servePrograms(write: Write): Promise<Readonly<Record<string, string>>> {
  const server = createServer((socket) => {
    answer(socket, write).catch((error: unknown) => {
      write(format(error));
      socket.end('70\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.address() as AddressInfo;
  return Object.fromEntries(Object.keys(PROGRAMS).map((name) => [name, scriptOf(name, port)]));
}

const END = '\0\0end\n';

/** In bash alone, which starts fast. It has its environment as it was started with, where the system has that as a file. */
function scriptOf(name: string, port: number): string {
  return `#!/bin/bash
exec 3<>/dev/tcp/127.0.0.1/${port}
mapfile -d '' env < /proc/self/environ || mapfile -d '' env < <(env -0)
printf '%s\\0' ${name} "$PWD" "$#" "$@" "\${env[@]}" >&3
printf '\\0end\\n' >&3
read -r code <&3
exit "$code"
`;
}

async function answer(socket: Socket, write: Write): Promise<void> {
  const start = await startOf(socket);
  const program = PROGRAMS[start.name];
  if (program === undefined) throw new Error(`There is no program ${start.name}.`);
  socket.end(`${await program(start, write)}\n`);
}

async function startOf(socket: Socket): Promise<Start> {
  let text = '';
  await new Promise<void>((resolve, reject) => {
    socket.setEncoding('utf8');
    socket.on('error', reject);
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.endsWith(END)) resolve();
    });
  });
  const [name = '', cwd = '', count = '', ...rest] = text.slice(0, -END.length).split('\0');
  const env = rest.slice(Number(count)).map((entry) => /^([^=]+)=(.*)$/s.exec(entry)?.slice(1) ?? []);
  return {
    name,
    args: rest.slice(0, Number(count)),
    cwd,
    env: Object.fromEntries(env) as Record<string, string>,
  };
}

/** Steps use the folder and the console of their process. What `main.mjs` does before a step is done here. */
export async function runCi({ args, cwd, env }: Omit<Start, 'name'>, write: Write): Promise<number> {
  const before = process.cwd();
  const consoles = (['log', 'error'] as const).map((method) =>
    vi.spyOn(console, method).mockImplementation((...values: unknown[]) => write(`${format(...values)}\n`)),
  );
  process.chdir(path.resolve(cwd, env['FLAG_FOLDER'] ?? ''));
  try {
    return (await runStep([...args], env)) as number;
  } finally {
    process.chdir(before);
    for (const spied of consoles) spied.mockRestore();
  }
}
