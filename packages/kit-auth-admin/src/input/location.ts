/** The address of what was made by a request to its collection, whatever prefix the application has. */
export function locationOf({ originalUrl, url = '' }: LocatedRequest, name: string | number): string {
  const [path] = (originalUrl ?? url).split('?', 1) as [string];
  return `${path.replace(/\/+$/, '')}/${encodeURIComponent(name)}`;
}

/** The part of a request of either platform that is used here. */
export interface LocatedRequest {
  originalUrl?: string;
  url?: string;
}
