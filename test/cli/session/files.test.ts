import { expect, test } from 'vitest';
import { fileError } from '../../../src/cli/session/files.ts';

const withCode = (code: string): Error => Object.assign(new Error('x'), { code });

test.each([
  ['ENOENT', 'no such file or folder'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EISDIR', 'it is a folder'],
  ['ELOOP', 'the link leads to itself'],
  ['ENOTDIR', 'a part of the path is not a folder'],
  ['ENOSPC', 'the disk is full'],
  ['EROFS', 'the disk is read-only'],
  ['EMFILE', 'EMFILE'],
  ['constructor', 'constructor'],
])('a file that fails with %s is told so: %s', (code, why) => {
  const cause = withCode(code);
  expect(fileError('write', 'a.yaml', cause)).toMatchObject({
    code: 'file',
    message: `Cannot write a.yaml: ${why}.`,
    cause,
    remedy: undefined,
  });
  expect(fileError('read', 'a.yaml', cause)).toMatchObject({
    message: `Cannot read a.yaml: ${why}.`,
    remedy: code === 'ENOENT' ? 'Correct the path. A relative path begins in the working directory.' : undefined,
  });
});
