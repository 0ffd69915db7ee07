import { generateKeyPairSync, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import {
  type Clock,
  Refusal,
  type Signer,
  type SigningIdentity,
  type SigningKey,
  type SigningKeyRotation,
  type SigningKeys,
} from '#core';
import { readKeyFile, resolveKeyFile, versionOf } from './key-file.ts';
import { type KeyPair, notRegistered, publicHalf, SigningKeyError } from './private-key.ts';
import { draftKeyFile, removeOldDrafts } from './write-key-file.ts';

export interface SignerOptions {
  /** Null: there is no key. */
  readonly path: string | null;
  /** Whether a key is made where there is none. */
  readonly makeMissing: boolean;
  readonly signingKeys: Pick<SigningKeys, 'register' | 'registerFirst'>;
  readonly clock: Clock;
  /** Called once for each state of the file in which something is wrong that stops nothing. */
  readonly onProblem: (message: string) => void;
}

interface Loaded {
  /** Of the file when it was last looked into, whether its key could be taken up or not. */
  readonly version: string | null;
  readonly pair: KeyPair;
  /** Null: the key was retired while it was here. */
  readonly identity: SigningIdentity | null;
  /** By `performance.now()`. */
  readonly at: number;
}

/** After this long all is read again: the key may have been retired, or the database be another one. */
const freshMilliseconds = 10_000;

/** A file that changes without end must not keep anybody waiting. */
const maxLoads = 5;

/**
 * Signs with the key of a file. The file is looked at each time, so a new key is taken up by every process at once. Once
 * there is a key, a file without a usable one changes nothing: somebody may be writing it this moment. Nor does a key
 * that nobody has registered, but the very first: whoever can write the file cannot make signatures of their own.
 */
export class FileSigner implements Signer {
  readonly #options: SignerOptions;
  #loaded: Loaded | null = null;
  #loading: Promise<void> | undefined;
  #lastProblem = '';

  constructor(options: SignerOptions) {
    this.#options = options;
    if (options.path !== null) leaveMemoryOutOfCoreDumps();
  }

  async current(): Promise<SigningIdentity | null> {
    const { path } = this.#options;
    if (path === null) return null;
    for (let loads = 0; loads < maxLoads; loads += 1) {
      const version = await this.#lookAt(path);
      if (this.#loaded?.version === version && isFresh(this.#loaded)) break;
      this.#loading ??= this.#load(path, version).finally(() => {
        this.#loading = undefined;
      });
      await this.#loading;
    }
    return this.#loaded?.identity ?? null;
  }

  async rotate(): Promise<SigningKeyRotation> {
    const { signingKeys, clock } = this.#options;
    const path = this.#requirePath();
    const previous = await readKeyFile(path);
    await removeOldDrafts(await resolveKeyFile(path));
    const pair = await makeKeyPair(previous?.form ?? (path.endsWith('.pem') ? 'pem' : 'jwk'));
    await using draft = await draftKeyFile(path, pair);
    await signingKeys.register(pair, clock.now());
    await draft.replace();
    return { kid: pair.kid, previousKid: previous?.kid ?? null };
  }

  async register(): Promise<Pick<SigningKey, 'kid'>> {
    const { signingKeys, clock } = this.#options;
    const path = this.#requirePath();
    const file = await readKeyFile(path);
    if (file === null) throw missing(path);
    return signingKeys.register(file, clock.now());
  }

  #requirePath(): string {
    const { path } = this.#options;
    if (path !== null) return path;
    throw new SigningKeyError(
      'no signing key is configured; set SIGNING_KEY_FILE to where the key is kept',
    );
  }

  async #lookAt(path: string): Promise<string | null> {
    try {
      return await versionOf(path);
    } catch (error) {
      if (this.#loaded === null) throw error;
      return null;
    }
  }

  async #load(path: string, version: string | null): Promise<void> {
    const previous = this.#loaded;
    if (previous === null) await removeOldDrafts(await resolveKeyFile(path));
    try {
      const file = await this.#read(path);
      await this.#takeUp(path, file, file.version);
      if (file.warning !== null) this.#report(file.version, file.warning);
    } catch (error) {
      if (previous === null || !isOfKey(error)) throw error;
      // A file that is another one by now is looked into next, whatever was wrong with the one before.
      if ((await this.#lookAt(path)) === version) this.#report(version, error.message);
      await this.#keep(path, previous, version);
    }
  }

  async #read(path: string) {
    const file = await readKeyFile(path);
    if (file !== null) return file;
    if (this.#options.makeMissing && this.#loaded === null) {
      await using draft = await draftKeyFile(path, await makeKeyPair('jwk'));
      // When another process was first, its key is the one.
      await draft.putIfAbsent();
    }
    const made = await readKeyFile(path);
    if (made !== null) return made;
    throw missing(path);
  }

  async #takeUp(path: string, pair: KeyPair, version: string | null): Promise<void> {
    const { signingKeys, clock } = this.#options;
    const registered = await signingKeys.registerFirst(pair, clock.now());
    if (registered === null) throw SigningKeyError.of(path, notRegistered(pair));
    const { number, kid } = registered;
    const { privateKey } = pair;
    const identity: SigningIdentity = {
      keyNumber: number,
      kid,
      sign: (text) => sign(null, Buffer.from(text), privateKey),
    };
    this.#loaded = { version, pair, identity, at: performance.now() };
  }

  async #keep(path: string, previous: Loaded, version: string | null): Promise<void> {
    try {
      await this.#takeUp(path, previous.pair, version);
    } catch (error) {
      if (!isOfKey(error)) throw error;
      this.#loaded = { ...previous, version, identity: null, at: performance.now() };
    }
  }

  #report(version: string | null, message: string): void {
    const problem = `${version}: ${message}`;
    if (problem !== this.#lastProblem) this.#options.onProblem(message);
    this.#lastProblem = problem;
  }
}

function missing(path: string): SigningKeyError {
  return SigningKeyError.of(
    path,
    'does not exist; make one with: portfolio-access signing-key rotate',
  );
}

/** What is wrong with the key itself, not with the database that knows it. */
function isOfKey(error: unknown): error is Error {
  return (
    error instanceof SigningKeyError ||
    (error instanceof Refusal && error.code === 'signing_key_conflict')
  );
}

function isFresh({ at }: Loaded): boolean {
  return performance.now() - at < freshMilliseconds;
}

async function makeKeyPair(form: KeyPair['form']): Promise<KeyPair> {
  for (;;) {
    const { privateKey } = generateKeyPairSync('ed25519');
    const half = await publicHalf(privateKey);
    // On a command line it would look like an option.
    if (!half.kid.startsWith('-')) return { privateKey, form, ...half };
  }
}

/**
 * Leaves the memory of this process out of its core dumps from now on, because a key that signs is in it. Linux can do
 * that; elsewhere the operator turns core dumps off.
 */
function leaveMemoryOutOfCoreDumps(): void {
  try {
    writeFileSync('/proc/self/coredump_filter', '0');
  } catch {
    // There is no such file on other systems, and nothing else that Node could do.
  }
}
