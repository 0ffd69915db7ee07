import { generateKeyPairSync, sign } from 'node:crypto';
import {
  type Clock,
  findKeysInUse,
  isActiveKey,
  type NewKeyOptions,
  type PublicKey,
  publicationMilliseconds,
  Refusal,
  type Signer,
  type SigningIdentity,
  type SigningKey,
  type SigningKeyRotation,
  type SigningKeys,
} from '#core';
import { createKeyFile, previousKeyFile, readKeyFile, replaceKeyFile } from './key-file.ts';
import { createNotRegistered, type KeyPair, publicHalf, SigningKeyError } from './private-key.ts';

export interface SignerOptions {
  /** Null if no key is configured. */
  readonly path: string | null;
  readonly makeMissing: boolean;
  readonly signingKeys: Pick<SigningKeys, 'register' | 'registerFirst' | 'list'>;
  readonly clock: Clock;
  /** Called for a problem that doesn't stop the process from signing. */
  readonly onProblem: (message: string) => void;
}

interface Loaded {
  readonly kid: string;
  /** Null if the key was retired after it was loaded from the file. */
  readonly identity: SigningIdentity | null;
}

interface Waiting extends Loaded {
  readonly signsAt: Date;
}

const checkMilliseconds = 10_000;

/**
 * Signs with the key in a file. The file is read at the start and by `reload`. If a reload finds no usable key, the
 * current key stays in use. A person with write access to the file must not be able to forge signatures. So an operator
 * must register each key. Only the very first key is registered automatically.
 *
 * A new key waits until it has been published for five minutes. Meanwhile, the previous key signs. After a restart, the
 * previous key is read from a second file, which the rotation has kept.
 */
export class FileSigner implements Signer {
  readonly #options: SignerOptions;
  #loaded: Loaded | null = null;
  #waiting: Waiting | null = null;
  #loading: Promise<void> | null = null;
  #nextReloadAt = 0;

  constructor(options: SignerOptions) {
    this.#options = options;
  }

  async current(): Promise<SigningIdentity | null> {
    const { path } = this.#options;
    if (path === null) return null;
    if (this.#loaded === null) await this.#share(() => this.#load(path));
    if (this.#waiting !== null && this.#waiting.signsAt <= this.#options.clock.now()) {
      this.#loaded = this.#waiting;
      this.#waiting = null;
    }
    return this.#loaded?.identity ?? null;
  }

  async reload(): Promise<boolean> {
    const { path, onProblem } = this.#options;
    if (path === null || this.#loaded === null) return false;
    try {
      // A running read may have started before the file was replaced, so the file is read again.
      await this.#loading?.catch(() => undefined);
      await this.#share(() => this.#load(path));
      return true;
    } catch (error) {
      onProblem(error instanceof Error ? error.message : String(error));
      return false;
    }
  }

  /**
   * Reads the key file again if this process doesn't know the newest registered key. Reads at most once in ten seconds.
   * A rotation registers the key before it replaces the file, so the first read can be too early.
   */
  async reloadIfUnknown(keys: readonly SigningKey[]): Promise<void> {
    const newest = keys.findLast(isActiveKey);
    if (newest === undefined || newest.kid === this.#loaded?.kid) return;
    const { kid, signsAt } = this.#waiting ?? {};
    if (newest.kid === kid && newest.signsAt.getTime() === signsAt?.getTime()) return;
    const now = performance.now();
    if (now < this.#nextReloadAt) return;
    this.#nextReloadAt = now + checkMilliseconds;
    await this.reload();
  }

  async rotate({ atOnce = false }: NewKeyOptions = {}): Promise<SigningKeyRotation> {
    const { signingKeys, clock } = this.#options;
    const path = this.#requirePath();
    const previous = await readKeyFile(path);
    const pair = await makeKeyPair(previous?.form ?? (path.endsWith('.pem') ? 'pem' : 'jwk'));
    const now = clock.now();
    const signsAt = await this.#startOf(pair, now, atOnce);
    const keepsOld = previous !== null && signsAt > now;
    await replaceKeyFile(path, pair, keepsOld, () => signingKeys.register(pair, now, signsAt));
    await this.reload();
    return { kid: pair.kid, previousKid: previous?.kid ?? null, signsAt };
  }

  async register({ atOnce = false }: NewKeyOptions = {}): Promise<SigningKey> {
    const { signingKeys, clock } = this.#options;
    const path = this.#requirePath();
    const file = await readKeyFile(path);
    if (file === null) throw createMissingError(path);
    const now = clock.now();
    const signsAt = await this.#startOf(file, now, atOnce);
    const registered = await signingKeys.register(file, now, signsAt);
    await this.reload();
    return registered;
  }

  /** Returns the time from which the key signs. Throws if another key waits, because only one old file is kept. */
  async #startOf(key: PublicKey, now: Date, atOnce: boolean): Promise<Date> {
    const keys = await this.#options.signingKeys.list();
    const { current, next } = findKeysInUse(keys, now);
    if (!atOnce && next !== null && next.kid !== key.kid) {
      throw new SigningKeyError(
        `the key ${next.kid} signs from ${next.signsAt.toISOString()} on; wait until then, or use --now`,
      );
    }
    return atOnce || current === null ? now : new Date(now.getTime() + publicationMilliseconds);
  }

  #requirePath(): string {
    const { path } = this.#options;
    if (path !== null) return path;
    throw new SigningKeyError(
      'no signing key is configured; set SIGNING_KEY_FILE to the path of the key file',
    );
  }

  #share(load: () => Promise<void>): Promise<void> {
    this.#loading ??= load().finally(() => {
      this.#loading = null;
    });
    return this.#loading;
  }

  async #load(path: string): Promise<void> {
    const { signingKeys, clock, onProblem } = this.#options;
    const file = (await readKeyFile(path)) ?? (await this.#makeMissing(path));
    if (file.warning !== null) onProblem(file.warning);
    const { kid } = file;
    try {
      const registered = await signingKeys.registerFirst(file, clock.now());
      if (registered === null) throw SigningKeyError.of(path, createNotRegistered(file));
      const key = toLoaded(file, registered);
      const earlier = await this.#findEarlier(path, registered);
      this.#loaded = earlier ?? key;
      this.#waiting = earlier && { ...key, signsAt: registered.signsAt };
    } catch (error) {
      const isRetired = error instanceof Refusal && error.code === 'signing_key_conflict';
      if (isRetired && this.#loaded?.kid === kid) this.#loaded = { kid, identity: null };
      if (isRetired && this.#waiting?.kid === kid) this.#waiting = null;
      throw error;
    }
  }

  /** Returns the key that signs while the key in the file waits. Null if none waits, or if no other key can sign. */
  async #findEarlier(path: string, { kid, signsAt }: SigningKey): Promise<Loaded | null> {
    const { signingKeys, clock, onProblem } = this.#options;
    const now = clock.now();
    if (signsAt <= now || this.#loaded?.kid === kid) return null;
    const others = (await signingKeys.list()).filter((key) => isActiveKey(key) && key.kid !== kid);
    const findUsable = (loaded: Pick<Loaded, 'kid'>) =>
      others.find((key) => key.kid === loaded.kid && key.signsAt <= now);
    if (this.#loaded !== null && findUsable(this.#loaded)) return this.#loaded;
    try {
      const file = await readKeyFile(await previousKeyFile(path));
      const registered = file && findUsable(file);
      if (file && registered) return toLoaded(file, registered);
    } catch (error) {
      onProblem(error instanceof Error ? error.message : String(error));
    }
    if (others.length > 0) {
      onProblem(
        `the signing key ${kid} signs before ${signsAt.toISOString()}, because this process has no earlier key`,
      );
    }
    return null;
  }

  async #makeMissing(path: string) {
    if (!this.#options.makeMissing || this.#loaded !== null) throw createMissingError(path);
    await createKeyFile(path, await makeKeyPair('jwk'));
    const made = await readKeyFile(path);
    if (made === null) throw createMissingError(path);
    return made;
  }
}

function toLoaded({ kid, privateKey }: KeyPair, { number }: SigningKey): Loaded {
  const signText = (text: string) => sign(null, Buffer.from(text), privateKey);
  return { kid, identity: { keyNumber: number, kid, sign: signText } };
}

function createMissingError(path: string): SigningKeyError {
  return SigningKeyError.of(
    path,
    'does not exist; make one with: portfolio-access signing-key rotate',
  );
}

async function makeKeyPair(form: KeyPair['form']): Promise<KeyPair> {
  for (;;) {
    const { privateKey } = generateKeyPairSync('ed25519');
    const half = await publicHalf(privateKey);
    // Skips a key ID that starts with a dash, because a command would read it as an option.
    if (!half.kid.startsWith('-')) return { privateKey, form, ...half };
  }
}
