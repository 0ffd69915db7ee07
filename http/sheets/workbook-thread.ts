import { parentPort, workerData } from 'node:worker_threads';
import { parseWorkbook, type WorkbookAnswer, type WorkbookInput } from './parse-workbook.ts';

const post = (answer: WorkbookAnswer): void => parentPort?.postMessage(answer);

post(await parseWorkbook(workerData as WorkbookInput, post));
