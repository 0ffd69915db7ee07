import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, beforeEach } from 'vitest';
import type { InvestorUseCases } from '#core';
import { startService, type TestService } from '../support/service.ts';

export function useLongAnswers(path: string, replace: () => Partial<InvestorUseCases>) {
  let service: TestService;
  let leaving: AbortController;
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
    leave: () => leaving.abort(),
    ask: (key: string, method = 'GET') => fetch(service.url + path, { method, ...asked(key) }),

    /** Sends a request, and doesn't read the answer. */
    async askAndTakeNothing(key: string): Promise<http.ClientRequest> {
      const request = http.get(service.url + path, asked(key));
      request.on('error', () => undefined);
      await once(request, 'response');
      return request;
    },
  };
}
