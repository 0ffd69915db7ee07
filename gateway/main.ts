#!/usr/bin/env node
import { runService } from './run-service.ts';

await runService();
