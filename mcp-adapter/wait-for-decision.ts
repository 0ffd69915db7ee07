import { z } from 'zod';
import { accessRequestInput, awaitsDecision } from '#core';
import { presentAccessRequest } from '#http';
import { maxWaitSeconds, readArgument } from './arguments.ts';
import { tool } from './tool.ts';

const timeoutSeconds = z.int().min(1).max(maxWaitSeconds).optional();

export const waitTools = [
  tool({
    name: 'wait_for_decision',
    title: 'Wait for a decision',
    description:
      'Waits until the company decides on one of your access requests or on an addition to a grant, or until the request ends. Returns at once then, or after timeoutSeconds with isDecided false. In that case call it again while your user wants to wait, or come back later.',
    effect: 'reads',
    waits: true,
    input: accessRequestInput.extend({ timeoutSeconds }),
    async call({ useCases, caller, leaving }, input) {
      const seconds = readArgument(timeoutSeconds, input, 'timeoutSeconds') ?? maxWaitSeconds;
      const ending = AbortSignal.any([leaving, AbortSignal.timeout(seconds * 1000)]);
      const request = await useCases.waitForDecision(caller, input, ending);
      return {
        isDecided: !awaitsDecision(request),
        accessRequest: presentAccessRequest(request),
      };
    },
  }),
];
