import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, beforeEach } from 'vitest';
import type { InvestorUseCases } from '#core';
import { startService, type TestService } from '../support/service.ts';

/** For each test, starts a service whose responses at the path can be longer than clients read. */
export function useLongAnswers(path: string, replace: () => Partial<InvestorUseCases>) {
  let service: TestService;
  let leaving: AbortController;
  /** The server's responses at the path. */
  let responses: ServerResponse[];

  beforeEach(async () => {
    leaving = new AbortController();
    responses = [];
    service = await startService({
      storage: { memory: true },
      isReachedDirectly: true,
      interpose: (useCases) => ({ ...useCases, ...replace() }),
    });
    service.app.server.on('request', ({ url }: IncomingMessage, response: ServerResponse) => {
      if (url === path) responses.push(response);
    });
  });
  afterEach(async () => {
    leaving.abort();
    await service.close();
  });

  const asked = (key: string) => ({
    headers: { authorization: `Bearer ${key}` },
    signal: leaving.signal,
  });

  return {
    get service() {
      return service;
    },
    get responses() {
      return responses;
    },
    /** Disconnects all readers. */
    leave: () => leaving.abort(),
    ask: (key: string, method = 'GET') => fetch(service.url + path, { method, ...asked(key) }),

    /** Sends a request without reading its answer. */
    async askAndTakeNothing(key: string): Promise<http.ClientRequest> {
      const request = http.get(service.url + path, asked(key));
      request.on('error', () => undefined);
      await once(request, 'response');
      return request;
    },
  };
}
