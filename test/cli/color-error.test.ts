import { PassThrough } from 'node:stream';
import { WriteStream } from 'node:tty';
import { afterEach, expect, test, vi } from 'vitest';
import { colorError } from '../../cli/output.ts';

afterEach(() => vi.unstubAllEnvs());

/** Looks like a terminal with colours. */
function terminal(): PassThrough {
  const { getColorDepth } = WriteStream.prototype;
  return Object.assign(new PassThrough(), { isTTY: true, getColorDepth });
}

test.each([
  ['a terminal', terminal, {}, '\u001b[31merror:\u001b[39m no\n'],
  ['a terminal with NO_COLOR', terminal, { NO_COLOR: '1' }, 'error: no\n'],
  ['a dumb terminal', terminal, { TERM: 'dumb' }, 'error: no\n'],
  ['a file or pipe', () => new PassThrough(), {}, 'error: no\n'],
])(
  'an error is coloured only on a terminal with colours: %s',
  (_, createStream, variables, expected) => {
    const plain = {
      TERM: 'xterm-256color',
      NO_COLOR: undefined,
      FORCE_COLOR: undefined,
      CI: undefined,
    };
    for (const [name, value] of Object.entries({ ...plain, ...variables })) vi.stubEnv(name, value);
    expect(colorError(createStream(), 'error: no\n')).toBe(expected);
  },
);
