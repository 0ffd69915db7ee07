import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { init, parse, type StaticImport } from 'es-module-lexer';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { ProtocolError, serveStatic } from '#http';
import { removePageHeaders } from '../security.ts';

export const scriptType = 'text/javascript; charset=utf-8';

/** Browsers cache the file for a year. Its address contains its version, so browsers load a new version at once. */
export const serveAsset = (
  type: string,
  bytes: Buffer,
): ((request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>) => {
  const headers = { 'cache-control': 'public, max-age=31536000, immutable' };
  const serve = serveStatic(() => ({ type, bytes, headers }));
  return (request, reply) => {
    // A browser can open a picture as a page, so a picture keeps the security headers of pages.
    if (type.startsWith('text/')) removePageHeaders(reply);
    return serve(request, reply);
  };
};

const folders: Readonly<Record<string, string>> = {
  verify: new URL('.', import.meta.resolve('#verify')).href,
  jose: new URL('.', import.meta.resolve('jose')).href,
};

interface Verifier {
  readonly address: string;
  readonly modules: ReadonlyMap<string, ReturnType<typeof serveAsset>>;
}

let loaded: Promise<Verifier> | undefined;

/** Builds the modules on the first call. If that fails, the next call tries again. */
export function loadVerifier(): Promise<Verifier> {
  loaded ??= readVerifier().catch((error: unknown) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

async function readVerifier(): Promise<Verifier> {
  await init();
  const entry = import.meta.resolve('#verify');
  const sources = await readImportedModules(entry);
  const version = hash('sha256', [...sources.values()].join('\n'), 'base64url').slice(0, 12);
  const addressOf = (file: string) => `/desk/assets/${pathOf(file)}?${version}`;
  return {
    address: addressOf(entry),
    modules: new Map(
      Array.from(sources, ([file, source]) => {
        const script = Buffer.from(replaceImports(source, file, addressOf));
        return [pathOf(file), serveAsset(scriptType, script)];
      }),
    ),
  };
}

/** Returns the entry module and all modules that it imports, directly or indirectly, as JavaScript. */
async function readImportedModules(entry: string): Promise<ReadonlyMap<string, string>> {
  const sources = new Map<string, string>();
  const files = new Set([entry]);
  for (const file of files) {
    const text = await readFile(new URL(file), 'utf8');
    const source = file.endsWith('.ts') ? stripTypeScriptTypes(text) : text;
    sources.set(file, source);
    for (const { specifier } of importsOf(source)) files.add(resolve(specifier, file));
  }
  return sources;
}

/**
 * Replaces package names with addresses, because browsers can't resolve package names. Each address contains a version,
 * so browsers can cache the modules.
 */
function replaceImports(source: string, file: string, addressOf: (file: string) => string): string {
  return importsOf(source).reduceRight(
    (text, { specifier, start, end }) =>
      `${text.slice(0, start)}${addressOf(resolve(specifier, file))}${text.slice(end)}`,
    source,
  );
}

const importsOf = (source: string): StaticImport[] =>
  parse(source)[0].filter(
    (each): each is StaticImport => each.type === 'static' || each.type === 'reexport-star',
  );

const resolve = (specifier: string, from: string): string =>
  specifier.startsWith('.') ? new URL(specifier, from).href : import.meta.resolve(specifier);

function pathOf(file: string): string {
  const [name, folder] = Object.entries(folders).find(([, each]) => file.startsWith(each)) ?? [];
  if (folder === undefined) throw new Error(`${file} is in no folder that browsers get`);
  return `${name}/${file.slice(folder.length).replace(/\.ts$/, '.js')}`;
}

/** Serves only the modules that the verifier imports. A request for any other file gets a 404. */
export const serveVerifier: FastifyPluginAsync = async (app) => {
  for (const name of Object.keys(folders)) {
    app.get<{ Params: { '*': string } }>(
      `/${name}/*`,
      { config: { isPublic: true } },
      async (request, reply) => {
        const { modules } = await loadVerifier();
        const serve = modules.get(`${name}/${request.params['*']}`);
        if (serve === undefined) throw new ProtocolError('route_not_found');
        return serve(request, reply);
      },
    );
  }
};
