# docker build -t forest-align . && docker run -p 127.0.0.1:8000:8000 forest-align
# docker run -p 127.0.0.1:8000:8000 forest-align serve --host 0.0.0.0 --workers 4
# docker run -i forest-align align - < pairs.tsv > alignments.jsonl
FROM python:3.11-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends g++
COPY . /src
WORKDIR /src
RUN python -m venv /opt/forest-align && . /opt/forest-align/bin/activate && \
    pip install --no-cache-dir --no-deps -c constraints.txt --index-url https://download.pytorch.org/whl/cpu torch && \
    pip install --no-cache-dir -c constraints.txt '.[serve]'
FROM python:3.11-slim
COPY --from=build /opt/forest-align /opt/forest-align
USER nobody
EXPOSE 8000
ENTRYPOINT ["/opt/forest-align/bin/forest-align"]
CMD ["serve", "--host", "0.0.0.0"]
