import { cline, copilotCli, jetbrains, junie, kiro, roo } from './agents.ts';
import { claudeCode, claudeDesktop } from './claude.ts';
import type { Client } from './client.ts';
import { codex } from './codex.ts';
import { cursor, lmStudio, vscode, windsurf, zed } from './editors.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';
import { continueDev, goose } from './yaml-clients.ts';

/** All clients whose configurations Toolwright reads. */
export const CLIENTS: readonly Client[] = [
  claudeDesktop,
  claudeCode,
  cursor,
  vscode,
  windsurf,
  codex,
  gemini,
  zed,
  goose,
  lmStudio,
  continueDev,
  opencode,
  cline,
  roo,
  copilotCli,
  kiro,
  junie,
  jetbrains,
];
