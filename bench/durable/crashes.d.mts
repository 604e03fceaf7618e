export function measureCrashes(
  folder: string,
  options?: { executions?: number; kills?: number; seed?: number },
): Promise<{
  executions: number;
  kills: number;
  seconds: number;
  lost: number;
  missing: number;
  doubled: number;
  otherArguments: number;
  decisions: number;
}>;
