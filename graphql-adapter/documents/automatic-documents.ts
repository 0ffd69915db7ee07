import { hash } from 'node:crypto';
import { useAPQ } from '@graphql-yoga/plugin-apq';
import type { Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import type { RequestContext } from '../context.ts';

/** Each key has its own space, so that no caller can evict another's documents. */
const charactersOfKey = 128 * 1024;
const keysAtOnce = 256;

/**
 * Automatic persisted queries: a client sends the hash of its document, and the document only if the process doesn't
 * know it.
 */
export function useAutomaticDocuments(): Plugin<object, RequestContext> {
  const plugins = new LRUCache<string, Plugin>({ max: keysAtOnce });

  function pluginOf(keyId: string): Plugin {
    const known = plugins.get(keyId);
    if (known !== undefined) return known;
    const made = useAPQ({
      store: new LRUCache<string, string>({
        maxSize: charactersOfKey,
        sizeCalculation: (document, sha256) => document.length + sha256.length,
      }),
      hash: (document) => hash('sha256', document),
    });
    plugins.set(keyId, made);
    return made;
  }

  return {
    onParams(payload) {
      if (payload.params.extensions?.persistedQuery == null) return undefined;
      return pluginOf(payload.context.keyId).onParams?.(payload as never);
    },
  };
}
