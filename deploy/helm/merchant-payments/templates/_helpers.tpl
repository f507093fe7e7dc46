{{- define "merchant-payments.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{- define "merchant-payments.image" -}}
{{- with .Values.image -}}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ end -}}
{{- end -}}
{{- end }}

{{/* Of one component's pods. Arguments: the root and the component's name. */}}
{{- define "merchant-payments.selector" -}}
app.kubernetes.io/name: merchant-payments
app.kubernetes.io/instance: {{ index . 0 | include "merchant-payments.name" }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "merchant-payments.labels" -}}
{{ include "merchant-payments.selector" . }}
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
helm.sh/chart: {{ (index . 0).Chart.Name }}-{{ (index . 0).Chart.Version }}
{{- end }}

{{/* Of each pod: a user without rights, and no credential of the cluster. */}}
{{- define "merchant-payments.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{- define "merchant-payments.container" -}}
image: {{ include "merchant-payments.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{- define "merchant-payments.archive-folder" -}}
/var/lib/merchant-payments/archive
{{- end }}

{{/* What the migration and the archive get of the owner's Secret. */}}
{{- define "merchant-payments.owner-files" -}}
{{- range prepend (.Values.secrets.owner.files | default list) "DATABASE_OWNER_URL" }}
- key: {{ . }}
  path: {{ . }}
{{- end }}
{{- end }}

{{/* merchant-payments.yaml: what the values say, and what the chart sets. A roll-out runs one process more of each. */}}
{{- define "merchant-payments.config" -}}
{{- $default := dict "database" (dict
  "shared_by" (dict "apis" (add1 (int .Values.api.replicas)) "workers" (add1 (int .Values.worker.replicas)))
) -}}
{{- $set := dict
  "checkout_page_dir" "/app/apps/checkout-web/dist"
  "listen" (dict "host" "0.0.0.0" "port" 8080)
  "internal_listen" (dict "host" "0.0.0.0" "port" 9080)
  "metrics" (dict "host" "0.0.0.0" "port" 9464)
  "worker" (dict "internal_listen" (dict "host" "0.0.0.0" "port" 9080) "metrics" (dict "host" "0.0.0.0" "port" 9465))
-}}
{{- if .Values.archive.volumeClaim }}{{ $_ := set $set "archive_folder" (include "merchant-payments.archive-folder" .) }}{{ end -}}
{{- mustMergeOverwrite $default (deepCopy .Values.config) $set | toYaml -}}
{{- end }}

{{/* The Deployment of the api or the worker. Arguments: the root, the component's name, its ports. */}}
{{- define "merchant-payments.deployment" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $ports := index . 2 -}}
{{- $values := index $root.Values $component -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "merchant-payments.name" $root }}-{{ $component }}
  labels:
    {{- include "merchant-payments.labels" . | nindent 4 }}
spec:
  replicas: {{ $values.replicas }}
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 1
      maxUnavailable: 0
  selector:
    matchLabels:
      {{- include "merchant-payments.selector" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "merchant-payments.labels" . | nindent 8 }}
      annotations:
        # Processes read their configuration once, so a changed one replaces them.
        checksum/config: {{ include "merchant-payments.config" $root | sha256sum }}
    spec:
      {{- include "merchant-payments.pod" $root | nindent 6 }}
      # Five seconds before SIGTERM, 25 for the stop.
      terminationGracePeriodSeconds: 40
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "merchant-payments.selector" . | nindent 14 }}
      {{- with $values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: {{ $component }}
          {{- include "merchant-payments.container" $root | nindent 10 }}
          args: [{{ $component }}]
          ports:
            {{- range $name, $port := $ports }}
            - name: {{ $name }}
              containerPort: {{ $port }}
              protocol: TCP
            {{- end }}
          env:
            {{- range $root.Values.secrets.service.keys }}
            - name: {{ . }}_FILE
              value: /run/secrets/{{ . }}
            {{- end }}
          # A process waits five minutes for its database before it listens.
          startupProbe:
            httpGet: { path: /healthz, port: internal }
            periodSeconds: 2
            timeoutSeconds: 2
            failureThreshold: 160
          livenessProbe:
            httpGet: { path: /healthz, port: internal }
            periodSeconds: 10
            timeoutSeconds: 3
            failureThreshold: 3
          # The process itself waits a second for its database.
          readinessProbe:
            httpGet: { path: /readyz, port: internal }
            periodSeconds: 2
            timeoutSeconds: 2
            failureThreshold: 2
          lifecycle:
            # Balancers of the cluster take some seconds to send no more requests to a pod that ends.
            preStop:
              sleep:
                seconds: 5
          resources:
            {{- toYaml $values.resources | nindent 12 }}
          volumeMounts:
            - name: config
              mountPath: /etc/merchant-payments
              readOnly: true
            - name: secrets
              mountPath: /run/secrets
              readOnly: true
      volumes:
        - name: config
          configMap:
            name: {{ include "merchant-payments.name" $root }}
        - name: secrets
          secret:
            secretName: {{ $root.Values.secrets.service.name }}
            defaultMode: 0440
            items:
              {{- range $root.Values.secrets.service.keys }}
              - key: {{ . }}
                path: {{ . }}
              {{- end }}
{{- end }}

{{/* One pod of a component may be away while the cluster moves pods. Arguments: the root and the component's name. */}}
{{- define "merchant-payments.budget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ index . 0 | include "merchant-payments.name" }}-{{ index . 1 }}
  labels:
    {{- include "merchant-payments.labels" . | nindent 4 }}
spec:
  maxUnavailable: 1
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "merchant-payments.selector" . | nindent 6 }}
{{- end }}

{{/* The rules of egress that the api and the worker share. */}}
{{- define "merchant-payments.egress" -}}
- to:
    - namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: kube-system } }
  ports:
    - { protocol: UDP, port: 53 }
    - { protocol: TCP, port: 53 }
- to:
    {{- toYaml .database.to | nindent 4 }}
  ports:
    - { protocol: TCP, port: {{ .database.port }} }
- to:
    - ipBlock:
        {{- toYaml .outside | nindent 8 }}
{{- with .egress }}
{{ toYaml . }}
{{- end }}
{{- end }}
