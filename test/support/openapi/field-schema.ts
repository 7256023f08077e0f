/** The schema of a field or a parameter, with the members by which a kind of value is described. */
export interface FieldSchema {
  type: string | string[];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  multipleOf?: number;
  maxItems?: number;
  items?: FieldSchema;
  pattern?: string;
  enum?: string[];
  default?: string | number | boolean;
}
