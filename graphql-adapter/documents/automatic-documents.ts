import { hash } from 'node:crypto';
import { useAPQ } from '@graphql-yoga/plugin-apq';
import type { Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import type { RequestContext } from '../context.ts';

/** In characters, for one API key. With separate stores, no caller can evict another caller's documents. */
const charactersOfKey = 128 * 1024;
const keysAtOnce = 256;

/**
 * In automatic persisted queries, a client sends only the hash of its document. If the service doesn't know the hash,
 * the client sends the document too.
 */
export function useAutomaticDocuments(): Plugin<object, RequestContext> {
  const plugins = new LRUCache<string, Plugin>({ max: keysAtOnce });

  function pluginOf(keyId: string): Plugin {
    const known = plugins.get(keyId);
    if (known !== undefined) return known;
    const plugin = useAPQ({
      store: new LRUCache<string, string>({
        maxSize: charactersOfKey,
        sizeCalculation: (document, sha256) => document.length + sha256.length,
      }),
      hash: (document) => hash('sha256', document),
    });
    plugins.set(keyId, plugin);
    return plugin;
  }

  return {
    onParams(payload) {
      if (payload.params.extensions?.persistedQuery == null) return undefined;
      return pluginOf(payload.context.keyId).onParams?.(payload as never);
    },
  };
}
