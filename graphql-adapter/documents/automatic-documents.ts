import { hash } from 'node:crypto';
import { useAPQ } from '@graphql-yoga/plugin-apq';
import type { Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import type { RequestContext } from '../context.ts';

/** Each key has room of its own, so no caller can push out what another has sent. */
const charactersOfKey = 128 * 1024;
const keysAtOnce = 256;

/**
 * Automatic persisted queries: a client sends the hash of its document, and the document itself only when the process
 * does not know it yet.
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
